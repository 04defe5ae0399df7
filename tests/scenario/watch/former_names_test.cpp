// A ledger whose names said less than files tell is upgraded, and its next night comes.

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "schema/sql/migrations.hpp"
#include "service/store/findings/mutes.hpp"
#include "tests/scenario/watch/far_nights.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

/// Makes of the ledger one of before the migration, and takes it through that again.
void upgrade(FarNights& far) {
    far.ledger().execute_script("DROP TABLE former_series; ALTER TABLE import DROP COLUMN former;");
    for (const auto& migration : sql::migrations()) {
        const bool is_it =
            std::string_view(migration.sql).find("TABLE former_series") != std::string_view::npos;
        if (is_it) far.ledger().execute_script(migration.sql);
    }
}

SentNight named(FarNights& far, int day, double value, const std::string& name) {
    auto night = far.night(day, value, name);
    night.readings[0].former = "sort";
    return night;
}

/// Nights of "sort" with a regression that stands open, its series muted.
void fill(FarNights& far) {
    far.config.projects.at("far").source.file_unconfirmed = true;
    far.nights(0, 12, 1e6);
    far.nights(12, 14, 1.3e6);
    REQUIRE(far.text("SELECT state FROM regression") == "reported");
    Transaction transaction(far.ledger());
    NewMute mute{.project = ProjectId{1}, .owner = "ann", .reason = "known", .token = "t"};
    mute.series = SeriesId{1};
    mute.until_s = far.now_s + 1000 * sent_day_s;
    add_mute(far.ledger(), mute, far.now_s);
    transaction.commit();
}

}  // namespace

TEST_CASE("A series of one benchmark is the same one under its new name", "[watch][elsewhere]") {
    FarNights far;
    fill(far);
    upgrade(far);
    far.take(named(far, 14, 1.301e6, "sort [threads=4]"));
    far.judge();
    CHECK(far.count("series") == 1);
    CHECK(far.text("SELECT benchmark FROM series WHERE id = 1") == "sort [threads=4]");
    CHECK(far.count("night_value WHERE series_id = 1") == 15);
    CHECK(far.count("run WHERE benchmark = 'sort'") == 0);
    CHECK(far.text("SELECT state FROM regression") == "reported");
    CHECK(far.count("mute WHERE ended_s IS NULL") == 1);
    CHECK(far.count("event WHERE kind IN ('series.changed', 'series.gone')") == 0);
    CHECK(far.count("former_series") == 0);
}

TEST_CASE("A series that held several benchmarks is closed, and said once", "[watch][elsewhere]") {
    FarNights far;
    fill(far);
    upgrade(far);
    for (const int day : {14, 15}) {
        auto night = named(far, day, 1.3e6, "sort [threads=4]");
        night.readings.push_back(named(far, day, 2e6, "sort").readings[0]);
        far.take(night);
        far.judge();
    }
    CHECK(far.count("series") == 3);
    CHECK(far.text("SELECT benchmark FROM series WHERE id = 1") == "sort (several as one)");
    CHECK(far.count("night_value WHERE series_id = 1") == 14);
    CHECK(far.text("SELECT state FROM regression") == "refuted");
    CHECK(far.count("mute WHERE ended_s IS NULL") == 0);
    CHECK(far.count("event WHERE kind = 'series.changed'") == 1);
    CHECK(
        far.text("SELECT message FROM event WHERE kind = 'series.changed'")
            .find("1 series held several benchmarks under one name and are closed") !=
        std::string::npos);
}

TEST_CASE("Two files of a night under one name were several benchmarks", "[watch][elsewhere]") {
    FarNights far;
    for (int day = 0; day < 6; ++day) {
        far.take(far.night(day, 1e6));
        far.take(far.night(day, 4e6));
        far.judge();
    }
    CHECK(far.count("series") == 1);
    upgrade(far);
    far.take(named(far, 6, 1e6, "sort/amp"));
    far.take(named(far, 6, 4e6, "sort/bf16"));
    far.judge();
    CHECK(far.count("series WHERE benchmark LIKE 'sort/%'") == 2);
    CHECK(far.text("SELECT benchmark FROM series WHERE id = 1") == "sort (several as one)");
    CHECK(far.count("event WHERE kind = 'series.changed'") == 1);
}

TEST_CASE("Runs of a name that stays are runs of one benchmark", "[watch][elsewhere]") {
    FarNights far;
    for (int day = 0; day < 3; ++day) {
        far.take(far.night(day, 1e6));
        far.take(far.night(day, 1.5e6));
        far.judge();
    }
    upgrade(far);
    far.take(far.night(3, 1.2e6));
    CHECK(far.count("series") == 1);
    CHECK(far.text("SELECT benchmark FROM series") == "sort");
    CHECK(far.count("former_series") == 0);
}

TEST_CASE("What was taken under a former name changes nothing again", "[watch][elsewhere]") {
    FarNights far;
    far.nights(0, 3, 1e6);
    upgrade(far);
    auto again = named(far, 2, 1e6 * (1 + 0.001 * (2 * 7 % 5 - 2)), "sort [jvm=21]");
    again.digest = wire::sha256("read anew");
    CHECK(far.take(again).is_again);
    CHECK(far.take(again).is_again);
    CHECK(far.count("run") == 3);
    CHECK_FALSE(far.take(named(far, 3, 1e6, "sort [jvm=21]")).is_again);
    CHECK(far.count("series") == 1);
    again.digest = wire::sha256("read once more");
    CHECK(far.take(again).is_again);
}
