#include "service/store/work/old_jobs.hpp"

namespace vigil::service {

std::vector<JobId> list_old_jobs(Database& db, NightlyId nightly, JobId from, int limit) {
    return db.all<JobId>(
        "SELECT id FROM job WHERE nightly_id = ?1 AND (purpose = 'nightly' OR purpose = 'confirm') "
        "AND id >= "
        "?2 "
        "ORDER BY id LIMIT ?3",
        nightly,
        from,
        limit);
}

bool is_uneventful(Database& db, JobId job) {
    return !db.has(
        "SELECT 1 FROM job j WHERE j.id = ?1 AND (j.state <> 'done' OR j.attempt <> 1 "
        "OR EXISTS (SELECT 1 FROM import i WHERE i.job_id = j.id) "
        "OR EXISTS (SELECT 1 FROM suspicion u WHERE j.session_id IS NOT NULL "
        "AND u.nightly_id = j.nightly_id AND u.session_id = j.session_id "
        "AND ifnull(u.verdict, '') NOT IN {vain_verdicts} "
        "AND ifnull(u.verdict, '') NOT IN {refuted_verdicts}) "
        "OR EXISTS (SELECT 1 FROM storm_series t WHERE t.job_id = j.id) "
        "OR EXISTS (SELECT 1 FROM callback c WHERE c.job_id = j.id) "
        "OR EXISTS (SELECT 1 FROM run r WHERE r.job_id = j.id "
        "AND (r.outcome IN {failures} "
        "OR EXISTS (SELECT 1 FROM chosen_batch b WHERE b.run_id = r.id) "
        "OR EXISTS (SELECT 1 FROM series s CROSS JOIN regression_series x ON x.series_id = s.id "
        "CROSS JOIN suspicion u ON u.id = x.suspicion_id "
        "CROSS JOIN regression g ON g.id = x.regression_id WHERE s.project_id = j.project_id "
        "AND s.benchmark = r.benchmark AND s.variant = r.variant "
        "AND s.machine_class_id = r.machine_class_id AND (j.nightly_id IN (u.good_nightly_id, "
        "u.nightly_id, x.recovered_nightly_id) OR (g.state IN {open_regressions} "
        "AND g.state NOT IN {reported_regressions} AND j.nightly_id > u.good_nightly_id))) "
        "OR EXISTS (SELECT 1 FROM measurement m WHERE m.run_id = r.id AND NOT EXISTS (SELECT 1 "
        "FROM measurement n WHERE n.series_id = m.series_id AND n.run_id > m.run_id "
        "LIMIT 1 OFFSET ?2 - 1)))))",
        job,
        newest_measurements);
}

std::int64_t remove_measurements(Database& db, JobId job, std::int64_t limit) {
    const auto gone = db.execute(
        "DELETE FROM measurement WHERE (run_id, series_id) IN (SELECT m.run_id, m.series_id "
        "FROM run r CROSS JOIN measurement m ON m.run_id = r.id WHERE r.job_id = ?1 LIMIT ?2)",
        job,
        limit);
    const auto unjudged = db.execute(
        "DELETE FROM unjudged_measurement WHERE (run_id, series_id) IN (SELECT u.run_id, "
        "u.series_id FROM run r CROSS JOIN unjudged_measurement u ON u.run_id = r.id "
        "WHERE r.job_id = ?1 LIMIT ?2)",
        job,
        limit - gone);
    return gone + unjudged;
}

}  // namespace vigil::service
