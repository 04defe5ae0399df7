#include <array>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "service/schedule/judgeable.hpp"
#include "service/store/alone.hpp"
#include "service/watch/quarantine.hpp"
#include "service/watch/search/bisect.hpp"
#include "service/watch/watch.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

// Every finite number that a worker can send, the hostile ones most often.
std::vector<double> hostile_samples(std::mt19937& random) {
    constexpr auto largest = std::numeric_limits<double>::max();
    constexpr auto denormal = std::numeric_limits<double>::denorm_min();
    const std::array edges{0.0, denormal, 1e-300, 1e-60, 1e-59, 1.0, 1e59, 1e60, 1e300, largest};
    std::uniform_int_distribution<std::size_t> which(0, edges.size() - 1);
    std::uniform_int_distribution<int> count(1, 60);
    std::bernoulli_distribution mixed(0.3);
    const bool mix = mixed(random);
    const double one = edges[which(random)];
    std::vector<double> samples(static_cast<std::size_t>(count(random)), one);
    if (mix) {
        for (double& sample : samples) sample = edges[which(random)];
    }
    return samples;
}

}  // namespace

TEST_CASE("Values whose mean overflows are kept aside and the night goes on", "[scenario]") {
    const test::ScratchFolder folder;
    World world{.seed = 31, .variants = {"infer", "train"}, .interleave = 2};
    world.lie = [](Purpose, const std::string& variant, Metric metric, std::mt19937&) {
        if (variant != "train" || metric != Metric::cpu_time_ns) return std::vector<double>{};
        return std::vector<double>(50, 1.7e308);
    };
    Fleet fleet(world, folder / "ledger");
    for (int night = 0; night < 3; ++night) fleet.night(night);
    CHECK(fleet.count("nightly", "state = 'done'") == 3);
    CHECK(fleet.count("unjudged_measurement") > 0);
    CHECK(fleet.count("measurement", "median > 1e300") == 0);
    CHECK(fleet.count("nightly", "message LIKE '%excluded%'") == 0);  // of its last step: done
    CHECK(fleet.count("event", "kind = 'nightly.confirming' AND message LIKE '%1 excluded%'") == 3);
    CHECK(fleet.count("trouble", "kind = 'series.not_judged' AND ended_s IS NULL") == 1);
}

TEST_CASE("A series of zeros is set aside, and judged again when it has values", "[scenario]") {
    const test::ScratchFolder folder;
    World world{.seed = 32, .variants = {"infer", "train"}};
    bool lies = true;
    world.lie = [&](Purpose, const std::string& variant, Metric, std::mt19937&) {
        return lies && variant == "train" ? std::vector<double>{0, 0, 0} : std::vector<double>{};
    };
    Fleet fleet(world, folder / "ledger");
    for (int night = 0; night < 3; ++night) fleet.night(night);
    CHECK(fleet.count("nightly", "state = 'done'") == 3);
    CHECK(fleet.count("trouble", "ended_s IS NULL") == 2);  // once for each series, however often
    lies = false;
    fleet.night(3);
    CHECK(fleet.count("trouble", "ended_s IS NULL") == 0);
    CHECK(fleet.count("nightly", "state = 'done'") == 4);
}

TEST_CASE("A night of nothing that can be judged fails with the reason", "[scenario]") {
    const test::ScratchFolder folder;
    World world{.seed = 33};
    world.lie = [](Purpose, const std::string&, Metric, std::mt19937&) {
        return std::vector<double>{0};
    };
    Fleet fleet(world, folder / "ledger");
    fleet.night(0);
    fleet.night(1);
    CHECK(fleet.count("nightly", "state = 'failed' AND message LIKE '%value is 0%'") == 2);
}

TEST_CASE("Hostile values stop no night and hide no other series' culprit", "[scenario]") {
    const auto seed = GENERATE(range(1u, 13u));
    CAPTURE(seed);
    const test::ScratchFolder folder;
    World world{.seed = seed, .variants = {"infer", "train"}};
    world.interleave = seed % 2 == 0 ? 2 : 1;
    world.changes = {{.commit = 23, .variant = "infer", .time = 1.3}};
    world.lie = [](Purpose, const std::string& variant, Metric, std::mt19937& random) {
        std::bernoulli_distribution lies(0.4);
        if (variant != "train" || !lies(random)) return std::vector<double>{};
        return hostile_samples(random);
    };
    Fleet fleet(world, folder / "ledger");
    for (const int commit : {0, 1, 2, 3, 4, 5, 6, 69, 70}) fleet.night(commit);
    CHECK(fleet.count("nightly", "state IN ('done', 'failed')") == 9);
    const auto culprits = fleet.culprits();
    CHECK(std::count(culprits.begin(), culprits.end(), fleet.revision(23)) == 1);
    CHECK(fleet.count("nightly", "message LIKE 'quarantined%'") == 0);
}

TEST_CASE("Everything measured after the nights may be hostile", "[scenario]") {
    const auto seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    const test::ScratchFolder folder;
    World world{.seed = seed};
    world.changes = {{.commit = 23, .variant = "infer", .time = 1.3, .memory = 1.2}};
    world.lie = [](Purpose purpose, const std::string&, Metric, std::mt19937& random) {
        std::bernoulli_distribution lies(0.5);
        if (purpose == Purpose::nightly || !lies(random)) return std::vector<double>{};
        return hostile_samples(random);
    };
    Fleet fleet(world, folder / "ledger");
    for (const int commit : {0, 1, 2, 68, 69, 70}) fleet.night(commit);
    CHECK(fleet.count("nightly", "state IN ('done', 'failed')") == 6);
    CHECK(fleet.count("bisection", "state NOT IN ('done', 'failed')") == 0);
    CHECK(fleet.count("nightly", "message LIKE 'quarantined%'") == 0);
}

TEST_CASE("A ledger that holds poisoned values goes on", "[scenario]") {
    const auto* poison = GENERATE("9e999", "-9e999", "0.0", "-1.0", "1e-320", "1.7e308");
    CAPTURE(poison);
    const test::ScratchFolder folder;
    World world{.seed = 35, .variants = {"infer", "train"}};
    world.changes = {{.commit = 40, .variant = "infer", .time = 1.3}};
    Fleet fleet(world, folder / "ledger");
    for (int night = 0; night < 5; ++night) fleet.night(night);
    const std::string value = poison;
    fleet.db().execute(
        "UPDATE measurement SET median = " + value + ", spread = 9e999 WHERE run_id % 3 = 0");
    fleet.db().execute(
        "UPDATE series_record SET record = CAST(substr(record, 1, 20) AS BLOB) "
        "WHERE series_id = 1");
    fleet.db().execute("UPDATE suspicion SET base = " + value + ", answer = '{\"moved\":1}'");
    for (const int commit : {5, 6, 70}) fleet.night(commit);
    CHECK(fleet.count("nightly", "state = 'done'") == 8);
    CHECK(fleet.culprits() == std::vector{fleet.revision(40)});
}

TEST_CASE("An open regression that cannot be read keeps no night waiting", "[scenario]") {
    const auto* spoiled = GENERATE(
        "confirmed = 'no JSON'", "confirmed = '{}'", "base = 9e999", "base = 0", "answer = '[]'");
    CAPTURE(spoiled);
    const test::ScratchFolder folder;
    World world{.seed = 37, .variants = {"infer", "train"}};
    world.changes = {{.commit = 40, .variant = "infer", .time = 1.3}};
    Fleet fleet(world, folder / "ledger");
    for (int night = 0; night < 8; ++night) fleet.night(night);
    fleet.night(50);
    REQUIRE(fleet.count("regression", "state IN ('attributed', 'reported')") == 1);
    fleet.db().execute(std::string("UPDATE suspicion SET ") + spoiled);
    fleet.db().execute("DELETE FROM series_record WHERE series_id = 1");
    for (int night = 60; night < 64; ++night) fleet.night(night);
    CHECK(fleet.count("nightly", "state = 'done'") == 13);
}

TEST_CASE("A search whose rows cannot be read ends, and its night with it", "[scenario]") {
    const auto* column = GENERATE("settings", "good_revision");
    CAPTURE(column);
    const test::ScratchFolder folder;
    World world{.seed = 36, .changes = {{.commit = 23, .variant = "infer", .time = 1.3}}};
    Fleet fleet(world, folder / "ledger");
    fleet.night(0);
    fleet.kill = [&] {
        fleet.db().execute(
            std::string("UPDATE bisection SET ") + column +
            " = 'no longer what it was' WHERE state IN ('listing', 'searching')");
        return false;
    };
    fleet.night(69);
    fleet.kill = [] { return false; };
    fleet.night(70);
    CHECK(fleet.count("bisection", "state = 'failed'") == 1);
    CHECK(fleet.count("regression", "state = 'range'") == 1);
    CHECK(fleet.count("nightly", "state = 'done'") == 3);
}

TEST_CASE("A search that has ended does not begin again", "[scenario]") {
    const test::ScratchFolder folder;
    World world{.seed = 36, .changes = {{.commit = 23, .variant = "infer", .time = 1.3}}};
    Fleet fleet(world, folder / "ledger");
    fleet.night(0);
    fleet.night(69);
    REQUIRE(fleet.count("bisection", "state = 'done'") == 1);
    const auto suspects = fleet.count("suspect", "1");
    // The git lane listed them while the search was ended.
    const BisectionId ended{1};
    history::Range range;
    range.base = Revision(fleet.revision(0));
    CHECK_THROWS_WITH(
        service::record_suspects(fleet.db(), fleet.config().projects.at("lab"), ended, range, 1),
        Catch::Contains("bisection 1 is done; it cannot become searching"));
    service::quarantine_bisection(fleet.db(), ended, "too late", 1);
    CHECK(fleet.count("bisection", "state = 'done'") == 1);
    CHECK(fleet.count("suspect", "1") == suspects);
}

TEST_CASE("A night whose step never works is set aside, and later nights go on", "[scenario]") {
    using namespace service;
    const bool dies = GENERATE(false, true);
    CAPTURE(dies);
    const test::ScratchFolder folder;
    Fleet fleet({.seed = 37}, folder / "ledger");
    fleet.night(0);
    auto& db = fleet.db();
    db.execute(
        "INSERT INTO build(project_id, revision, input_kind, created_at_s) "
        "SELECT project_id, ?1, 'source_tree', 1 FROM build LIMIT 1",
        fleet.revision(1));
    db.execute(
        "INSERT INTO nightly(project_id, build_id, version, day, revision, state, created_at_s) "
        "SELECT project_id, id, 'stuck', '2026-01-01', revision, 'confirming', 1 FROM build "
        "ORDER BY id DESC LIMIT 1");
    const NightlyId stuck{db.last_insert_id()};
    // A step that dies leaves only its beginning; one that throws says why.
    int tries = 0;
    for (; fleet.count("nightly", "state = 'confirming'") == 1 && tries < 20; ++tries) {
        const bool may = begin_try(db, stuck, fleet.now_s());
        if (may && !dies) fail_try(db, stuck, true, "it is no JSON", fleet.now_s());
    }
    CHECK(tries == max_step_tries + (dies ? 1 : 0));
    const std::string why = dies ? "the daemon ended" : "it is no JSON";
    CHECK(
        fleet.count("nightly", "state = 'failed' AND message LIKE 'quarantined: " + why + "%'") ==
        1);
    CHECK(fleet.count("trouble", "kind = 'nightly.set_aside' AND ended_s IS NULL") == 1);
    fleet.night(2);
    CHECK(fleet.count("nightly", "state = 'done'") == 2);
    CHECK(fleet.count("trouble", "kind = 'nightly.set_aside' AND ended_s IS NULL") == 0);
}

TEST_CASE("The view of what can be judged has the bounds of the code", "[scenario]") {
    const test::ScratchFolder folder;
    Fleet fleet({.seed = 38}, folder / "ledger");
    fleet.night(0);
    auto& db = fleet.db();
    for (const double value : {service::least_judged, service::most_judged, 1e-61, 1e61, 1.0}) {
        db.execute("UPDATE measurement SET median = ?1, spread = 0", value);
        CHECK((fleet.count("judged_measurement") > 0) == service::is_judgeable(value));
    }
}
