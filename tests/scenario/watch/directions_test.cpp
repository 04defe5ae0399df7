// Which way series of a project that is measured elsewhere are better.

#include "service/watch/night/directions.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "tests/scenario/watch/far_nights.hpp"
#include "tests/support/fleet.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;
using Catch::Contains;

namespace {

/// Nights of one counter, told to be better this way.
void counter_nights(
    FarNights& far, int from, int to, double value, std::optional<Direction> direction) {
    for (int day = from; day < to; ++day) {
        auto sent = far.night(day, value * (1 + 0.001 * (day * 7 % 5 - 2)), "gemm");
        auto& reading = sent.readings[0];
        reading.variant = "FOM: rate";
        reading.metric = Metric::reported_value;
        reading.unit = "";
        reading.direction = direction;
        far.take(sent);
        far.judge();
    }
}

struct FarCounters : FarNights {
    FarCounters() {
        auto& project = config.projects.at("far");
        project.judged = {Metric::reported_value};
        project.source.file_unconfirmed = true;
    }
};

}  // namespace

TEST_CASE("A counter of which nothing says which way is better is told once", "[watch]") {
    FarCounters far;
    counter_nights(far, 0, 12, 100, std::nullopt);
    counter_nights(far, 12, 15, 130, std::nullopt);
    CHECK(far.count("suspicion") == 0);
    CHECK(far.count("trouble WHERE kind = 'series.no_direction' AND ended_s IS NULL") == 1);
    CHECK(far.count("event WHERE kind = 'series.no_direction'") == 1);
    CHECK_THAT(
        far.text("SELECT message FROM trouble WHERE kind = 'series.no_direction'"),
        Contains("1 series are not judged") && Contains("projects.far.series_rules") &&
            Contains(R"({"benchmark": "gemm", "variant": "FOM: rate", )"));
    // The line that it names ends it, and the history that there is counts.
    far.config.projects.at("far").series_rules = {
        {.variant = "FOM*", .direction = Direction::higher_is_better}};
    counter_nights(far, 15, 17, 100, std::nullopt);
    CHECK(far.count("trouble WHERE kind = 'series.no_direction' AND ended_s IS NULL") == 0);
    CHECK(far.text("SELECT direction FROM series") == "higher_is_better");
    CHECK(far.count("suspicion WHERE verdict = 'unconfirmed'") == 1);
}

TEST_CASE("A series that was judged the wrong way round begins anew", "[watch]") {
    FarCounters far;
    counter_nights(far, 0, 12, 100, Direction::lower_is_better);
    counter_nights(far, 12, 14, 130, Direction::lower_is_better);
    CHECK(far.text("SELECT state FROM regression") == "reported");
    counter_nights(far, 14, 15, 130, Direction::higher_is_better);
    CHECK(far.text("SELECT direction FROM series") == "higher_is_better");
    CHECK(far.text("SELECT state FROM regression") == "refuted");
    CHECK_THAT(
        far.text("SELECT data FROM event WHERE kind = 'regression.refuted'"),
        Contains("higher is better, and it was judged the other way"));
    CHECK(
        far.text("SELECT reason FROM baseline ORDER BY id DESC LIMIT 1") ==
        "it was judged the wrong way round");
    counter_nights(far, 15, 26, 130, Direction::higher_is_better);
    CHECK(far.count("regression") == 1);
    counter_nights(far, 26, 28, 100, Direction::higher_is_better);
    CHECK(far.count("regression") == 2);
}

TEST_CASE("What nothing tells any more closes what was found by it", "[watch]") {
    FarCounters far;
    counter_nights(far, 0, 12, 100, Direction::lower_is_better);
    counter_nights(far, 12, 14, 130, Direction::lower_is_better);
    counter_nights(far, 14, 15, 130, std::nullopt);
    CHECK(far.text("SELECT state FROM regression") == "refuted");
    CHECK(far.text("SELECT judging FROM series") == "no_direction");
}

TEST_CASE("A rule leaves series out, and takes them in", "[watch]") {
    FarCounters far;
    far.config.projects.at("far").series_rules = {{.benchmark = "gemm", .judge = false}};
    counter_nights(far, 0, 12, 100, Direction::lower_is_better);
    counter_nights(far, 12, 15, 130, Direction::lower_is_better);
    CHECK(far.count("suspicion") == 0);
    CHECK(far.count("trouble WHERE kind = 'series.no_direction'") == 0);
    far.config.projects.at("far").series_rules = {{.benchmark = "gemm", .judge = true}};
    far.config.projects.at("far").judged = {Metric::wall_time_ns};
    counter_nights(far, 15, 28, 130, Direction::lower_is_better);
    // Its nights before count: it is worse at once.
    CHECK(far.count("suspicion") == 1);
    counter_nights(far, 28, 30, 180, Direction::lower_is_better);
    CHECK(far.count("suspicion") == 2);
}

namespace {

/// Once a search has asked for its second probe, a series turns out to be judged the wrong way.
class TurnsWhileSearched {
  public:
    TurnsWhileSearched(tests::Fleet& fleet, std::int64_t series) {
        fleet.kill = [this, &fleet, series] {
            if (!done_ && fleet.count("probe", "number = 1") == 1) {
                done_ = true;
                close_found(fleet.db(), SeriesId{series}, "the other way is better", fleet.now_s());
                probes_ = fleet.count("probe");
            }
            return false;
        };
    }
    bool done() const { return done_; }
    int probes() const { return probes_; }

  private:
    bool done_ = false;
    int probes_ = 0;
};

}  // namespace

TEST_CASE("A search ends when its series turns out to be judged the wrong way", "[watch]") {
    tests::World world{.seed = 3, .commits = 40};
    world.changes = {{.commit = 23, .variant = "infer", .time = 1.2}};
    tests::Fleet fleet(world, ":memory:");
    fleet.night(0);
    const TurnsWhileSearched turns(fleet, 1);
    fleet.night(40);
    REQUIRE(turns.done());
    CHECK(fleet.count("probe") == turns.probes());
    CHECK(fleet.count("bisection", "state = 'failed'") == 1);
    CHECK(fleet.count("regression", "state = 'closed' AND ended_as = 'not_reproduced'") == 1);
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("A series that left while it was searched does not come back", "[watch]") {
    tests::World world{.seed = 3, .commits = 40, .variants = {"infer", "train"}};
    world.changes = {
        {.commit = 23, .variant = "infer", .time = 1.2},
        {.commit = 11, .variant = "train", .time = 1.3}};
    tests::Fleet fleet(world, ":memory:");
    fleet.night(0);
    const TurnsWhileSearched turns(fleet, 1);
    fleet.night(40);
    REQUIRE(turns.done());
    CHECK(fleet.count("regression_series", "series_id = 1") == 0);
    CHECK(fleet.count("regression", "state IN ('attributed', 'reported')") == 1);
    CHECK(fleet.culprits().size() == 1);
}
