#include "service/store/machines/canary_checks.hpp"

#include "schema/model/transitions.hpp"

namespace vigil::service {

namespace {

// A row of canary_check, `k`, that moved with its whole class: no state of its own, but `learning`
// rows that learn have nothing to be off from.
const std::string moved_with_class = "k.state = 'learning' AND k.moved_ratio IS NOT NULL";

}  // namespace

std::vector<Measurer> list_measurers(Database& db, NightlyId nightly) {
    return db.all<Measurer>(
        "SELECT DISTINCT w.id, w.machine_class_id, c.name, w.last_seen_at_s FROM job j "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN worker w ON w.id = r.worker_id JOIN machine_class c ON c.id = w.machine_class_id "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND w.state = 'active' "
        "ORDER BY w.id",
        nightly);
}

std::vector<OpenCheck> list_open_checks(Database& db, NightlyId nightly) {
    return db.all<OpenCheck>(
        "SELECT k.id, n.project_id, n.id, k.worker_id, w.name, w.machine_class_id, c.name, "
        "k.state, k.definition, k.moved_ratio, j.id, j.state, j.waits_since_s FROM canary_check k "
        "JOIN nightly n ON n.id = k.nightly_id JOIN worker w ON w.id = k.worker_id "
        "JOIN machine_class c ON c.id = w.machine_class_id JOIN job j ON j.id = k.job_id "
        "WHERE k.nightly_id = ?1 AND k.state IN {open_checks} ORDER BY k.id",
        nightly);
}

bool has_checks(Database& db, NightlyId nightly) {
    return db.has("SELECT 1 FROM canary_check WHERE nightly_id = ?1 LIMIT 1", nightly);
}

std::optional<std::string> find_moved_canary(Database& db, NightlyId nightly) {
    return db.find<std::string>(
        "SELECT w.name FROM canary_check k JOIN worker w ON w.id = k.worker_id "
        "WHERE k.nightly_id = ?1 AND k.state = 'moved' LIMIT 1",
        nightly);
}

void add_check(
    Database& db,
    NightlyId nightly,
    WorkerId worker,
    const std::string& definition,
    std::optional<JobId> job,
    const std::string& message,
    std::int64_t now_s) {
    db.execute(
        "INSERT INTO canary_check(nightly_id, worker_id, definition, state, job_id, message, "
        "created_at_s, ended_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        nightly,
        worker,
        definition,
        job ? CanaryState::measuring : CanaryState::missing,
        job,
        message,
        now_s,
        job ? std::nullopt : std::optional(now_s));
}

void move_to_again(Database& db, const OpenCheck& check, JobId job, const std::string& why) {
    check_move("canary check", check.id, check.state, CanaryState::again);
    db.execute(
        "UPDATE canary_check SET state = 'again', job_id = ?2, message = ?3 WHERE id = ?1",
        check.id,
        job,
        why);
}

void end_check(
    Database& db,
    const OpenCheck& check,
    CanaryState state,
    const std::string& why,
    std::int64_t now_s) {
    check_move("canary check", check.id, check.state, state);
    db.execute(
        "UPDATE canary_check SET state = ?2, message = ?3, ended_at_s = ?4 WHERE id = ?1",
        check.id,
        state,
        why,
        now_s);
}

std::vector<CheckValue> list_check_values(Database& db, const OpenCheck& check, Metric metric) {
    return db.all<CheckValue>(
        "SELECT m.series_id, m.median FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt AND r.outcome = 'passed' "
        "JOIN judged_measurement m ON m.run_id = r.id JOIN series s ON s.id = m.series_id "
        "AND s.metric = ?2 WHERE j.id = ?1 AND j.state = 'done' ORDER BY r.step",
        check.job,
        metric);
}

void note_place(Database& db, const OpenCheck& check, const CheckPlace& place) {
    db.execute(
        "UPDATE canary_check SET series_id = ?2, value = ?3, base = ?4, moved_ratio = ?5 "
        "WHERE id = ?1",
        check.id,
        place);
}

std::vector<double> load_chart(Database& db, const OpenCheck& check) {
    return db.all<double>(
        "WITH mine AS (SELECT k.id, k.value, k.state, k.definition, " + moved_with_class +
            " AS whole, lag(" + moved_with_class +
            ", 1, 0) OVER (ORDER BY k.id) AS whole_before FROM canary_check k "
            "WHERE k.worker_id = ?1 AND k.id < ?3 AND k.definition = ?2 AND NOT EXISTS (SELECT 1 "
            "FROM withdrawal x WHERE x.nightly_id = k.nightly_id AND x.restored_at_s IS NULL "
            "AND (x.worker_id IS NULL OR x.worker_id = ?1))) "
            "SELECT value FROM mine WHERE state IN {usual_checks} AND value IS NOT NULL "
            "AND NOT whole AND id > ifnull((SELECT max(id) FROM canary_check "
            "WHERE worker_id = ?1 AND id < ?3 AND state = 'moved'), 0) "
            "AND id > ifnull((SELECT max(id) FROM mine WHERE whole AND whole_before), 0) "
            "ORDER BY id",
        check.worker,
        check.definition,
        check.id);
}

bool has_steady_check(Database& db, NightlyId nightly, MachineClassId machine_class) {
    return db.has(
        "SELECT 1 FROM canary_check k JOIN worker w ON w.id = k.worker_id "
        "WHERE k.nightly_id = ?1 AND w.machine_class_id = ?2 "
        "AND k.state IN {usual_checks} LIMIT 1",
        nightly,
        machine_class);
}

std::optional<NightlyId> find_class_move_before(Database& db, const OpenCheck& check) {
    return db.find<NightlyId>(
        "SELECT k.nightly_id FROM canary_check k WHERE k.id = (SELECT MAX(b.id) FROM canary_check "
        "b WHERE b.worker_id = ?1 AND b.id < ?2 AND b.definition = ?3) AND " +
            moved_with_class,
        check.worker,
        check.id,
        check.definition);
}

}  // namespace vigil::service
