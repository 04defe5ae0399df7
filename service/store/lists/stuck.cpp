#include "service/store/lists/stuck.hpp"

namespace vigil::service {

std::vector<HeldJob> list_held_jobs(
    Database& db,
    std::int64_t claimed_before_s,
    std::int64_t ended_before_steady_s,
    std::int64_t steady_s,
    int limit) {
    return db.all<HeldJob>(
        "SELECT j.id, w.name, a.claimed_at_s, ?3 - j.lease_expires_at_s "
        "FROM job j INDEXED BY job_leased CROSS JOIN attempt a ON a.job_id = j.id "
        "AND a.number = j.attempt JOIN worker w ON w.id = a.worker_id "
        "WHERE j.state = 'leased' AND (a.claimed_at_s < ?1 OR j.lease_expires_at_s < ?2) "
        "ORDER BY a.claimed_at_s, j.id LIMIT ?4",
        claimed_before_s,
        ended_before_steady_s,
        steady_s,
        limit);
}

std::vector<GivenUpMessages> count_given_up(Database& db, int looked_at) {
    return db.all<GivenUpMessages>(
        "SELECT g.target, count(*), max(g.outbox_id), min(r.created_at_s) FROM "
        "(SELECT id FROM outbox WHERE state = 'dead' ORDER BY id DESC LIMIT ?1) newest "
        "CROSS JOIN given_up g ON g.outbox_id = newest.id JOIN report r ON r.id = g.report_id "
        "GROUP BY g.target ORDER BY g.target",
        looked_at);
}

std::int64_t newest_event_s(Database& db) {
    return db.find<std::int64_t>("SELECT at_s FROM event ORDER BY id DESC LIMIT 1").value_or(0);
}

std::int64_t ledger_since_s(Database& db) {
    return db.find<std::int64_t>("SELECT min(created_at_s) FROM project").value_or(0);
}

std::vector<SilentSeries> list_silent_series(
    Database& db, ProjectId project, int silent, int within, int limit) {
    return db.all<SilentSeries>(
        "WITH bounds(recent, old) AS (SELECT (SELECT id FROM night WHERE project_id = ?1 "
        "AND state = 'done' ORDER BY id DESC LIMIT 1 OFFSET ?2 - 1), ifnull((SELECT id FROM night "
        "WHERE project_id = ?1 AND state = 'done' ORDER BY id DESC LIMIT 1 OFFSET ?3 - 1), 0)), "
        "seen(id, last) AS (SELECT s.id, (SELECT max(v.nightly_id) FROM night_value v "
        "WHERE v.series_id = s.id) FROM series s WHERE s.project_id = ?1) "
        "SELECT s.id, s.shown, s.variant, c.name, s.metric, n.created_at_s FROM bounds "
        "CROSS JOIN seen CROSS JOIN series s ON s.id = seen.id "
        "JOIN machine_class c ON c.id = s.machine_class_id JOIN nightly n ON n.id = seen.last "
        "WHERE seen.last < bounds.recent AND seen.last >= bounds.old ORDER BY s.id LIMIT ?4",
        project,
        silent,
        within,
        limit);
}

std::vector<SilentWorker> list_silent_workers(Database& db, std::int64_t seen_before_s, int limit) {
    return db.all<SilentWorker>(
        "SELECT w.name, c.name, w.last_seen_at_s FROM worker w "
        "JOIN machine_class c ON c.id = w.machine_class_id WHERE w.state = 'active' "
        "AND w.last_seen_at_s < ?1 AND NOT EXISTS (SELECT 1 FROM job l INDEXED BY job_leased "
        "WHERE l.state = 'leased' AND l.worker_id = w.id) ORDER BY w.id LIMIT ?2",
        seen_before_s,
        limit);
}

// Of a group SQLite takes the other columns from the row with the largest id.
std::vector<SkewedWorker> list_skewed_workers(Database& db, std::int64_t over_s, int looked_at) {
    return db.all<SkewedWorker>(
        "SELECT name, ahead_s FROM (SELECT w.name, max(r.id), "
        "CASE WHEN r.started_at_s < a.claimed_at_s THEN r.started_at_s - a.claimed_at_s "
        "WHEN r.started_at_s > a.ended_at_s THEN r.started_at_s - a.ended_at_s ELSE 0 END "
        "AS ahead_s FROM (SELECT id, job_id, attempt, worker_id, "
        "started_at_ns / 1000000000 AS started_at_s FROM run ORDER BY id DESC LIMIT ?2) r "
        "CROSS JOIN attempt a ON a.job_id = r.job_id AND a.number = r.attempt "
        "JOIN worker w ON w.id = r.worker_id GROUP BY w.id) WHERE abs(ahead_s) > ?1 ORDER BY name",
        over_s,
        looked_at);
}

std::vector<LongNight> list_long_nights(Database& db, std::int64_t begun_before_s, int limit) {
    return db.all<LongNight>(
        "SELECT n.id, p.name, n.name, n.state, n.created_at_s FROM nightly n "
        "JOIN project p ON p.id = n.project_id WHERE n.state IN {open_nights} "
        "AND n.created_at_s < ?1 AND n.backfill_id IS NULL ORDER BY n.id LIMIT ?2",
        begun_before_s,
        limit);
}

std::vector<LongSearch> list_long_searches(Database& db, std::int64_t begun_before_s, int limit) {
    return db.all<LongSearch>(
        "SELECT b.id, p.name, b.state, b.created_at_s FROM bisection b "
        "JOIN project p ON p.id = b.project_id WHERE b.state IN {open_bisections} "
        "AND b.created_at_s < ?1 ORDER BY b.id LIMIT ?2",
        begun_before_s,
        limit);
}

std::vector<EndingToken> list_ending_tokens(
    Database& db, std::int64_t since_s, std::int64_t until_s, int limit) {
    return db.all<EndingToken>(
        "SELECT name, expires_at_s FROM token WHERE revoked_at_s IS NULL AND expires_at_s >= ?1 "
        "AND expires_at_s < ?2 ORDER BY expires_at_s, id LIMIT ?3",
        since_s,
        until_s,
        limit);
}

}  // namespace vigil::service
