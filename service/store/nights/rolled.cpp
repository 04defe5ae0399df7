#include "service/store/nights/rolled.hpp"

namespace vigil::service {

std::optional<RollingNight> find_rolling(Database& db) {
    return db.first<RollingNight>(
        "SELECT nightly_id, next_job_id, going_job_id, next_suspicion_id FROM rolled_night "
        "INDEXED BY rolled_night_open WHERE ended_at_s IS NULL LIMIT 1");
}

namespace {

std::vector<NightlyId> list_nights_to_roll(
    Database& db, ProjectId project, int raw_nights, int limit) {
    return db.all<NightlyId>(
        "SELECT n.id FROM nightly n WHERE n.project_id = ?1 AND n.rolled_up_at_s IS NULL "
        "AND n.id < (SELECT o.id FROM night o WHERE o.project_id = ?1 ORDER BY o.id DESC "
        "LIMIT 1 OFFSET ?2 - 1) AND n.state IN {ended_nights} AND NOT EXISTS (SELECT 1 "
        "FROM backfill b WHERE b.id = n.backfill_id AND b.state IN {open_backfills}) "
        "ORDER BY n.id LIMIT ?3",
        project,
        raw_nights,
        limit);
}

}  // namespace

std::optional<NightlyId> find_night_to_roll(Database& db, ProjectId project, int raw_nights) {
    const auto first = list_nights_to_roll(db, project, raw_nights, 1);
    return first.empty() ? std::nullopt : std::optional(first.front());
}

int count_nights_to_roll(Database& db, ProjectId project, int raw_nights, int most) {
    return static_cast<int>(list_nights_to_roll(db, project, raw_nights, most).size());
}

void begin_roll_up(Database& db, NightlyId nightly, std::int64_t now_s) {
    db.execute("INSERT INTO rolled_night(nightly_id) VALUES (?1)", nightly);
    db.execute("UPDATE nightly SET rolled_up_at_s = ?2 WHERE id = ?1", nightly, now_s);
}

void count_rolled(Database& db, NightlyId nightly, JobId job) {
    db.execute(
        "INSERT INTO rolled_jobs SELECT ?1, j.machine_class_id, j.purpose, 1, ifnull(r.passed, 0), "
        "ifnull(r.unsupported, 0), ifnull(held.measurements, 0), ifnull(held.samples, 0), "
        "ifnull(t.seconds, 0), ifnull(t.build_s, 0) FROM job j "
        "CROSS JOIN (SELECT sum(outcome = 'passed') AS passed, "
        "sum(outcome = 'unsupported') AS unsupported FROM run WHERE job_id = ?2) r "
        "CROSS JOIN (SELECT count(*) AS measurements, sum(count) AS samples FROM "
        "(SELECT m.count FROM run o CROSS JOIN measurement m ON m.run_id = o.id "
        "WHERE o.job_id = ?2 UNION ALL SELECT u.count FROM run o "
        "CROSS JOIN unjudged_measurement u ON u.run_id = o.id WHERE o.job_id = ?2)) held "
        "CROSS JOIN (SELECT sum(seconds) AS seconds, sum(build_s) AS build_s FROM attempt_time "
        "WHERE job_id = ?2) t WHERE j.id = ?2 ON CONFLICT DO UPDATE SET jobs = jobs + 1, "
        "passed = passed + excluded.passed, unsupported = unsupported + excluded.unsupported, "
        "measurements = measurements + excluded.measurements, "
        "samples = samples + excluded.samples, seconds = seconds + excluded.seconds, "
        "build_s = build_s + excluded.build_s",
        nightly,
        job);
    db.execute(
        "UPDATE rolled_night SET last_run_id = max(last_run_id, ifnull((SELECT max(id) FROM run "
        "WHERE job_id = ?2), 0)) WHERE nightly_id = ?1",
        nightly,
        job);
}

void note_rolling(Database& db, const RollingNight& night, int kept_jobs) {
    db.execute(
        "UPDATE rolled_night SET next_job_id = ?2, going_job_id = ?3, kept_jobs = kept_jobs + ?4 "
        "WHERE nightly_id = ?1",
        night.nightly,
        night.next_job,
        night.going,
        kept_jobs);
}

void note_shortened(Database& db, const RollingNight& night, int shortened) {
    db.execute(
        "UPDATE rolled_night SET next_suspicion_id = ?2, suspicions = suspicions + ?3 "
        "WHERE nightly_id = ?1",
        night.nightly,
        night.next_suspicion,
        shortened);
}

void end_roll_up(Database& db, NightlyId nightly, std::int64_t now_s) {
    db.execute("UPDATE rolled_night SET ended_at_s = ?2 WHERE nightly_id = ?1", nightly, now_s);
}

std::optional<RolledUp> find_rolled_up(Database& db, NightlyId nightly) {
    return db.first<RolledUp>(
        "SELECT rolled_up_at_s, (SELECT ifnull(sum(passed + unsupported), 0) FROM rolled_jobs "
        "WHERE nightly_id = ?1) FROM nightly WHERE id = ?1 AND rolled_up_at_s IS NOT NULL",
        nightly);
}

}  // namespace vigil::service
