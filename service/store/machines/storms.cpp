#include "service/store/machines/storms.hpp"

#include "schema/model/transitions.hpp"

namespace vigil::service {

StormId add_storm(Database& db, const NewStorm& storm, std::int64_t now_s) {
    return db.insert<StormId>(
        "INSERT INTO storm(nightly_id, worker_id, state, series, suspicious, moved_ratio, "
        "created_at_s) VALUES (?1, ?2, 'checking', ?3, ?4, ?5, ?6)",
        storm,
        now_s);
}

void add_checked_series(
    Database& db, StormId storm, SeriesId series, JobId job, double base, double change_ratio) {
    db.execute(
        "INSERT INTO storm_series(storm_id, series_id, job_id, base, change_ratio) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
        storm,
        series,
        job,
        base,
        change_ratio);
}

std::vector<OpenStorm> list_checking(Database& db, NightlyId nightly) {
    return db.all<OpenStorm>(
        "SELECT x.id, n.project_id, n.id, x.worker_id, w.name, x.series, x.suspicious FROM storm x "
        "JOIN nightly n ON n.id = x.nightly_id JOIN worker w ON w.id = x.worker_id "
        "WHERE x.nightly_id = ?1 AND x.state = 'checking' ORDER BY x.id",
        nightly);
}

bool is_measuring(Database& db, StormId storm) {
    return db.has(
        "SELECT 1 FROM storm_series x JOIN job j ON j.id = x.job_id "
        "WHERE x.storm_id = ?1 AND j.state IN {open_jobs} LIMIT 1",
        storm);
}

std::vector<CheckedRun> list_checked_runs(Database& db, StormId storm) {
    return db.all<CheckedRun>(
        "SELECT x.series_id, s.direction, x.base, x.change_ratio, m.median FROM storm_series x "
        "JOIN series s ON s.id = x.series_id JOIN job j ON j.id = x.job_id AND j.state = 'done' "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = 'passed' "
        "JOIN judged_measurement m ON m.run_id = r.id AND m.series_id = x.series_id "
        "WHERE x.storm_id = ?1 ORDER BY x.series_id, r.step",
        storm);
}

void end_storm(
    Database& db,
    StormId storm,
    StormState state,
    double moved_ratio,
    const std::string& message,
    std::int64_t now_s) {
    check_move("storm", storm, StormState::checking, state);
    db.execute(
        "UPDATE storm SET state = ?2, moved_ratio = ?3, message = ?4, ended_at_s = ?5 "
        "WHERE id = ?1 AND state = 'checking'",
        storm,
        state,
        moved_ratio,
        message,
        now_s);
}

std::vector<NightStormFact> list_night_storms(Database& db, NightlyId nightly) {
    return db.all<NightStormFact>(
        "SELECT w.name, x.state, x.series, x.suspicious, x.moved_ratio, x.rebased, x.message "
        "FROM storm x JOIN worker w ON w.id = x.worker_id WHERE x.nightly_id = ?1 ORDER BY x.id",
        nightly);
}

void give_up_storms(
    Database& db,
    NightlyId nightly,
    std::optional<WorkerId> worker,
    const std::string& why,
    std::int64_t now_s) {
    db.execute(
        "UPDATE storm SET state = 'given_up', message = ?3, ended_at_s = ?4 WHERE nightly_id = ?1 "
        "AND state = 'checking' AND (?2 IS NULL OR worker_id = ?2)",
        nightly,
        worker,
        why,
        now_s);
}

void note_rebased(Database& db, StormId storm, int series) {
    db.execute("UPDATE storm SET rebased = ?2 WHERE id = ?1", storm, series);
}

std::optional<NightlyId> find_stormy_night_before(Database& db, const OpenStorm& storm) {
    return db.find<NightlyId>(
        "SELECT x.nightly_id FROM storm x WHERE x.worker_id = ?3 AND x.state = 'environment' "
        "AND x.nightly_id = (SELECT MAX(id) FROM night WHERE project_id = ?1 AND id < ?2 "
        "AND state = 'done') AND NOT EXISTS (SELECT 1 FROM left_out l "
        "WHERE l.nightly_id = x.nightly_id AND l.worker_id IN (0, ?3))",
        storm.project,
        storm.nightly,
        storm.worker);
}

bool has_calm_peer(
    Database& db, const OpenStorm& storm, int least_series, std::int64_t seen_after_s) {
    return db.has(
        "SELECT 1 FROM worker m JOIN worker o ON o.machine_class_id = m.machine_class_id "
        "AND o.id <> m.id AND o.state = 'active' AND o.last_seen_at_s > ?4 WHERE m.id = ?2 "
        "AND NOT EXISTS (SELECT 1 FROM storm x WHERE x.nightly_id = ?1 "
        "AND x.worker_id = o.id AND x.state = 'environment') "
        "AND (SELECT COUNT(DISTINCT y.series_id) FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt AND r.worker_id = o.id "
        "JOIN judged_measurement y ON y.run_id = r.id "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly') >= ?3 LIMIT 1",
        storm.nightly,
        storm.worker,
        least_series,
        seen_after_s);
}

}  // namespace vigil::service
