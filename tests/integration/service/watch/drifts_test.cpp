#include "service/watch/night/drifts.hpp"

#include <catch2/catch.hpp>

#include "service/store/json_columns.hpp"
#include "service/store/nights/nightlies.hpp"
#include "tests/integration/service/watch/played_series.hpp"

namespace vigil::service {
namespace {

using namespace testing;

// A new series, of which this night has a suspicion that ended as drift.
void add_drift(
    Database& db, const NightlyRow& night, int definition, const std::string& confirmed) {
    db.execute(
        "INSERT INTO series(project_id, benchmark, variant, machine_class_id, metric, definition, "
        "unit, direction) SELECT project_id, benchmark, variant, machine_class_id, metric, ?1, "
        "unit, direction FROM series LIMIT 1",
        definition);
    db.execute(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, verdict, base, "
        "value, change_ratio, confirmed, reason, created_at_s) "
        "VALUES (?1, ?2, ?2, 'level', 'ended', 'drift', 1, 1, 0, ?3, '', 1)",
        db.last_insert_id(),
        night.id,
        confirmed);
}

TEST_CASE("A drift that cannot be read keeps no other off the list", "[service][watch]") {
    Play play(1);
    auto& db = play.db();
    const auto night = load_nightly(db, play.newest());
    db.execute("UPDATE suspicion SET verdict = 'noise' WHERE nightly_id = ?1", night.id);
    Comparison confirmed;
    confirmed.change_ratio = 0.03;
    confirmed.runs_before = confirmed.runs_after = 8;
    add_drift(db, night, 101, "no JSON");
    add_drift(db, night, 102, TextColumn<Comparison>::text(confirmed));
    ProjectConfig measured_alone = play.config().projects.at("toy");
    measured_alone.judged.clear();
    CHECK(record_drifts(db, measured_alone, night, 1) == 1);
    CHECK(
        db.find<double>("SELECT change_ratio FROM drift WHERE nightly_id = ?1", night.id) == 0.03);
    CHECK(db.has(
        "SELECT 1 FROM event WHERE kind = 'nightly.part_failed' AND message LIKE '%drift%'"));
}

}  // namespace
}  // namespace vigil::service
