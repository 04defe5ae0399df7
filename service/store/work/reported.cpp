#include "service/store/work/reported.hpp"

namespace vigil::service {

namespace {

template <class Key>
struct CountOf {
    Purpose purpose = Purpose::nightly;
    Key key = {};
    int count = 0;
};

struct TimeOf {
    Purpose purpose = Purpose::nightly;
    std::int64_t seconds = 0;
};

}  // namespace

std::map<Purpose, NightWorkFact> load_night_work(Database& db, NightlyId nightly) {
    std::map<Purpose, NightWorkFact> work;
    for (const auto& [purpose, state, count] : db.all<CountOf<JobState>>(
             "SELECT purpose, state, sum(jobs) FROM (SELECT purpose, state, 1 AS jobs FROM job "
             "WHERE nightly_id = ?1 UNION ALL SELECT purpose, 'done', jobs FROM rolled_jobs "
             "WHERE nightly_id = ?1) GROUP BY 1, 2",
             nightly)) {
        work[purpose].jobs[state] = count;
    }
    for (const auto& [purpose, outcome, count] : db.all<CountOf<Outcome>>(
             "SELECT purpose, outcome, sum(runs) FROM (SELECT j.purpose, r.outcome, 1 AS runs "
             "FROM job j JOIN run r ON r.job_id = j.id WHERE j.nightly_id = ?1 "
             "UNION ALL SELECT purpose, 'passed', passed FROM rolled_jobs WHERE nightly_id = ?1 "
             "UNION ALL SELECT purpose, 'unsupported', unsupported FROM rolled_jobs "
             "WHERE nightly_id = ?1) WHERE runs > 0 GROUP BY 1, 2",
             nightly)) {
        work[purpose].outcomes[outcome] = count;
        work[purpose].runs += count;
    }
    for (const auto& [purpose, seconds] : db.all<TimeOf>(
             "SELECT purpose, sum(seconds) FROM (SELECT j.purpose, "
             "a.ended_at_s - a.claimed_at_s AS seconds FROM job j "
             "JOIN attempt a ON a.job_id = j.id WHERE j.nightly_id = ?1 "
             "AND a.ended_at_s IS NOT NULL UNION ALL SELECT purpose, seconds FROM rolled_jobs "
             "WHERE nightly_id = ?1) GROUP BY 1",
             nightly)) {
        work[purpose].machine_s = seconds;
    }
    return work;
}

std::vector<LostFact> list_lost(Database& db, NightlyId nightly, int limit) {
    return db.all<LostFact>(
        "SELECT w.name, count(*), coalesce(max(nullif(a.message, '')), 'stopped answering') "
        "FROM job j JOIN attempt a ON a.job_id = j.id AND a.outcome = 'lost' "
        "JOIN worker w ON w.id = a.worker_id WHERE j.nightly_id = ?1 GROUP BY w.id LIMIT ?2",
        nightly,
        limit);
}

std::vector<MissingFact> list_missing(Database& db, NightlyId nightly, int limit) {
    std::vector<MissingFact> missing;
    const auto add = [&](std::string_view sql) {
        auto found = db.all<MissingFact>(sql, nightly, limit);
        missing.insert(missing.end(), found.begin(), found.end());
    };
    // One line for each cause: what ended alike, with the same words, on the same class. A build
    // that is broken is so on every class.
    add("SELECT CASE count(*) WHEN 1 THEN 'job ' || min(j.id) || ' (' || j.purpose || ') ' || "
        "j.state ELSE count(*) || ' jobs (' || j.purpose || ')' || "
        "CASE count(DISTINCT c.id) WHEN 1 THEN ' on ' || c.name ELSE '' END || ' ' || j.state || "
        "', the first is job ' || min(j.id) END, j.message, j.message LIKE 'its build failed%' "
        "FROM job j "
        "JOIN machine_class c ON c.id = j.machine_class_id WHERE j.nightly_id = ?1 "
        "AND j.state IN {undone_jobs} "
        "GROUP BY j.purpose, j.state, j.message, CASE WHEN j.message LIKE 'its build failed%' "
        "THEN 0 ELSE c.id END ORDER BY min(j.id) LIMIT ?2");
    add("WITH lost AS (SELECT r.benchmark, r.variant, c.name AS class, r.outcome, "
        "count(*) AS runs, max(r.message) AS message FROM job j JOIN run r ON r.job_id = j.id "
        "JOIN machine_class c ON c.id = r.machine_class_id WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' AND r.outcome IN {failures} "
        "GROUP BY r.benchmark, r.variant, c.name, r.outcome) "
        "SELECT min(benchmark || ' (' || variant || ')') || CASE count(*) WHEN 1 THEN '' "
        "ELSE ' and ' || (count(*) - 1) || ' more' END || ' on ' || class || ': ' || sum(runs) || "
        "' of ' || CASE count(*) WHEN 1 THEN 'its' ELSE 'their' END || ' runs ' || outcome, "
        "message, 1 FROM lost GROUP BY class, outcome, message, "
        "CASE message WHEN '' THEN benchmark || ' ' || variant END LIMIT ?2");
    add("SELECT 'build of ' || substr(b.revision, 1, 10), CASE WHEN b.input_error <> '' "
        "THEN b.input_error ELSE max(p.message) END, b.input_error = '' FROM job j "
        "JOIN job_build jb ON jb.job_id = j.id JOIN build b ON b.id = jb.build_id "
        "LEFT JOIN product p ON p.build_id = b.id AND p.state = 'failed' WHERE j.nightly_id = ?1 "
        // A commit that a search passed over is not missing: the search's report tells it.
        "AND j.probe_id IS NULL "
        "AND (b.input_error <> '' OR p.id IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM product q "
        "WHERE q.build_id = b.id AND q.state = 'built') GROUP BY b.id LIMIT ?2");
    add("SELECT CASE kind WHEN 'series.set_aside' THEN 'a series is not judged' "
        "ELSE 'a part of the night is left out' END, message, 0 FROM event "
        "WHERE subject = 'nightly/' || ?1 AND kind IN ('series.set_aside', 'nightly.part_failed') "
        "ORDER BY id LIMIT ?2");
    add("SELECT 'worker ' || w.name || ' quarantined', w.reason, 0 FROM worker w "
        "WHERE w.state = 'quarantined' AND w.machine_class_id IN (SELECT machine_class_id FROM job "
        "WHERE nightly_id = ?1 UNION SELECT machine_class_id FROM rolled_jobs "
        "WHERE nightly_id = ?1) LIMIT ?2");
    add("SELECT 'canary of worker ' || w.name, k.message, 0 FROM canary_check k "
        "JOIN worker w ON w.id = k.worker_id WHERE k.nightly_id = ?1 AND k.state = 'missing' "
        "ORDER BY k.id LIMIT ?2");
    return missing;
}

std::vector<MissingFact> list_missing_before(
    Database& db, ProjectId project, NightlyId nightly, int limit) {
    return db.all<MissingFact>(
        "WITH stretch(began_s, ended_s) AS (SELECT coalesce((SELECT o.created_at_s FROM night o "
        "WHERE o.project_id = ?2 AND o.id < ?1 ORDER BY o.id DESC LIMIT 1), 0), "
        "(SELECT n.ended_at_s FROM nightly n WHERE n.id = ?1)) "
        "SELECT 'nightly asked for by ' || t.cause, t.message, 0 "
        "FROM trigger_request t, stretch s WHERE t.project_id = ?2 AND t.state = 'failed' "
        "AND t.created_at_s > s.began_s AND t.created_at_s <= coalesce(s.ended_s, t.created_at_s) "
        "ORDER BY t.id LIMIT ?3",
        nightly,
        project,
        limit);
}

std::optional<JobId> find_job_that_ran(
    Database& db, BuildId build, const std::string& benchmark, const std::string& variant) {
    return db.find<JobId>(
        "SELECT r.job_id FROM run r WHERE r.build_id = ?1 AND r.benchmark = ?2 "
        "AND r.variant = ?3 ORDER BY r.id DESC LIMIT 1",
        build,
        benchmark,
        variant);
}

std::vector<std::string> list_session_environments(
    Database& db, RegressionId regression, RangeEnd end) {
    return db.all<std::string>(
        "SELECT DISTINCT e.facts FROM regression_series rs "
        "JOIN suspicion u ON u.id = rs.suspicion_id JOIN session s ON s.id = u.session_id "
        "JOIN job j ON j.session_id = s.id JOIN run r ON r.job_id = j.id "
        "JOIN environment e ON e.id = r.environment_id WHERE rs.regression_id = ?1 "
        "AND (r.build_id <> s.b_build_id) = ?2",
        regression,
        end == RangeEnd::good);
}

std::vector<std::string> list_night_environments(
    Database& db, RegressionId regression, RangeEnd end) {
    return db.all<std::string>(
        "SELECT DISTINCT e.facts FROM regression_series rs "
        "JOIN suspicion u ON u.id = rs.suspicion_id "
        "JOIN series s ON s.id = rs.series_id "
        "JOIN job j ON j.purpose = 'nightly' "
        "AND j.nightly_id = CASE WHEN ?2 THEN u.good_nightly_id ELSE u.nightly_id END "
        "JOIN run r ON r.job_id = j.id AND r.machine_class_id = s.machine_class_id "
        "JOIN environment e ON e.id = r.environment_id WHERE rs.regression_id = ?1 "
        "UNION SELECT e.facts FROM regression_series rs "
        "CROSS JOIN suspicion u ON u.id = rs.suspicion_id "
        "CROSS JOIN series s ON s.id = rs.series_id CROSS JOIN rolled_value v "
        "ON v.nightly_id = CASE WHEN ?2 THEN u.good_nightly_id ELSE u.nightly_id END "
        "CROSS JOIN series x ON x.id = v.series_id AND x.machine_class_id = s.machine_class_id "
        "CROSS JOIN environment e ON e.id = v.environment_id WHERE rs.regression_id = ?1",
        regression,
        end == RangeEnd::good);
}

std::vector<SessionFact> list_session_facts(Database& db, RegressionId regression) {
    return db.all<SessionFact>(
        "WITH asked AS (SELECT DISTINCT u.session_id AS id FROM regression_series rs "
        "JOIN suspicion u ON u.id = rs.suspicion_id WHERE rs.regression_id = ?1) "
        "SELECT s.id, r.benchmark, r.variant, c.name, f.name, r.build_id <> s.b_build_id, f.value "
        "FROM asked CROSS JOIN session s ON s.id = asked.id "
        "CROSS JOIN job j ON j.session_id = s.id "
        "CROSS JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = 'passed' "
        "CROSS JOIN run_fact f ON f.run_id = r.id AND f.name IN ('cpu_mhz_after', "
        "'cpu_mhz_before', 'involuntary_switches', 'major_faults', 'minor_faults', 'throttles') "
        "AND f.value BETWEEN 0 AND 1e15 JOIN machine_class c ON c.id = r.machine_class_id "
        "ORDER BY s.id, r.benchmark, r.variant",
        regression);
}

}  // namespace vigil::service
