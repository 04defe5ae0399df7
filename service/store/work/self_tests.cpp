#include "service/store/work/self_tests.hpp"

namespace vigil::service {

std::int64_t begin_self_test(Database& db, std::int64_t now_s) {
    if (const auto cut_off = db.find<std::int64_t>(
            "SELECT number FROM self_test INDEXED BY self_test_planting WHERE state = 'planting' "
            "LIMIT 1")) {
        return *cut_off;
    }
    db.execute("INSERT INTO self_test(state, planted_at_s) VALUES ('planting', ?1)", now_s);
    return db.last_insert_id();
}

void record_planted(
    Database& db, std::int64_t number, const std::optional<PlantedRegression>& planted) {
    if (!planted) {
        db.execute("UPDATE self_test SET state = 'quiet' WHERE number = ?1", number);
        return;
    }
    db.execute(
        "UPDATE self_test SET state = 'waiting', benchmark = ?2, revision = ?3, due_at_s = ?4 "
        "WHERE number = ?1",
        number,
        *planted);
}

std::vector<OpenSelfTest> list_open_self_tests(Database& db) {
    return db.all<OpenSelfTest>(
        "SELECT number, state = 'missed', benchmark, revision, planted_at_s, due_at_s "
        "FROM (SELECT * FROM self_test INDEXED BY self_test_waiting WHERE state = 'waiting' "
        "UNION ALL SELECT * FROM (SELECT * FROM self_test INDEXED BY self_test_missed "
        "WHERE state = 'missed' ORDER BY number DESC LIMIT 7)) ORDER BY number");
}

void note_self_test_reported(Database& db, std::int64_t number, std::int64_t at_s) {
    db.execute(
        "UPDATE self_test SET state = 'reported', reported_at_s = ?2 WHERE number = ?1",
        number,
        at_s);
}

void note_self_test_missed(Database& db, std::int64_t number) {
    db.execute("UPDATE self_test SET state = 'missed' WHERE number = ?1", number);
}

std::optional<std::int64_t> find_reported_self_test_s(Database& db) {
    return db.find<std::int64_t>(
        "SELECT max(planted_at_s) FROM self_test INDEXED BY self_test_reported "
        "WHERE state = 'reported'");
}

std::optional<std::int64_t> find_culprit_report_s(
    Database& db, ProjectId project, const Revision& culprit) {
    return db.find<std::int64_t>(
        "SELECT min(r.created_at_s) FROM regression g JOIN report r ON r.regression_id = g.id "
        "WHERE g.culprit = ?2 AND g.project_id = ?1 AND r.told_culprit = ?2 "
        "AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.report_id = r.id AND o.state <> 'sent')",
        project,
        culprit);
}

std::string self_test_stage(Database& db, ProjectId project, const OpenSelfTest& test) {
    struct Stage {
        std::string night;
        std::string state;
        bool is_open = false;
        bool has_regression = false;
    };
    const auto stage = db.first<Stage>(
        "SELECT n.name, n.state, n.state IN {open_nights}, EXISTS (SELECT 1 FROM regression g "
        "WHERE g.nightly_id = n.id) FROM nightly n WHERE n.project_id = ?1 "
        "AND n.created_at_s >= ?2 ORDER BY n.created_at_s LIMIT 1",
        project,
        test.planted_at_s);
    if (!stage) return "no night came of it";
    if (stage->is_open) return "its night " + stage->night + " is still " + stage->state;
    if (!stage->has_regression) return "its night " + stage->night + " found no regression";
    const bool is_named = db.has(
        "SELECT 1 FROM regression WHERE culprit = ?2 AND project_id = ?1", project, test.revision);
    return is_named ? "its report was not delivered" : "its search did not name the commit";
}

}  // namespace vigil::service
