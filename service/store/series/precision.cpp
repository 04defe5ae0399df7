#include "service/store/series/precision.hpp"

namespace vigil::service {

// What a person told was no suspicion of the service's own.
SuspicionCounts count_suspicions(Database& db, const PrecisionScope& scope) {
    return *db.first<SuspicionCounts>(
        "SELECT count(*), ifnull(sum(u.is_check), 0), "
        "ifnull(sum(u.verdict IN {worse_verdicts}), 0), "
        "ifnull(sum(u.verdict = 'drift'), 0), ifnull(sum(u.verdict = 'noise'), 0), "
        "ifnull(sum(u.verdict = 'environment'), 0), "
        "ifnull(sum(u.verdict IN {better_verdicts}), 0), "
        "ifnull(sum(u.verdict = 'watch' AND (u.session_id IS NOT NULL OR u.waits = '')), 0), "
        "ifnull(sum(u.verdict = 'watch' AND u.session_id IS NULL AND u.waits <> ''), 0), "
        "ifnull(sum(u.state <> 'ended'), 0) "
        "FROM every_suspicion u WHERE (?1 IS NULL "
        "OR ?1 = (SELECT project_id FROM series WHERE id = u.series_id)) "
        "AND u.created_at_s >= ?2 AND u.created_at_s < ?3 "
        "AND NOT EXISTS (SELECT 1 FROM missed m WHERE m.suspicion_id = u.id)",
        scope);
}

// What a person said stands in the events: the state moves on. One whose series have joined another
// is that other.
RegressionCounts count_regressions(Database& db, const PrecisionScope& scope) {
    return *db.first<RegressionCounts>(
        "WITH said AS (SELECT g.id, g.ended_as, "
        "EXISTS (SELECT 1 FROM event e WHERE e.subject = 'regression/' || g.id "
        "AND e.kind = 'regression.refuted') AS refuted, "
        "EXISTS (SELECT 1 FROM event e WHERE e.subject = 'regression/' || g.id "
        "AND e.kind IN ('regression.acknowledged', 'regression.accepted')) AS upheld "
        "FROM regression g "
        "WHERE (?1 IS NULL OR g.project_id = ?1) AND g.created_at_s >= ?2 "
        "AND g.created_at_s < ?3 "
        "AND EXISTS (SELECT 1 FROM regression_series s WHERE s.regression_id = g.id)) "
        "SELECT count(*), ifnull(sum(refuted), 0), ifnull(sum(upheld AND NOT refuted), 0), "
        "ifnull(sum(ended_as IS 'not_reproduced' AND NOT upheld AND NOT refuted), 0), "
        "ifnull(sum(ended_as IS 'recovered' AND NOT upheld AND NOT refuted), 0) FROM said",
        scope);
}

// A regression is found once its night has ended, so none is older than its night. One of several
// series that joined a cause that was found is no missed one.
RecallCounts count_recall(Database& db, const PrecisionScope& scope) {
    return *db.first<RecallCounts>(
        "WITH opened AS (SELECT EXISTS (SELECT 1 FROM regression_series s "
        "WHERE s.regression_id = g.id AND NOT EXISTS (SELECT 1 FROM missed m "
        "WHERE m.suspicion_id = s.suspicion_id)) AS found, EXISTS (SELECT 1 "
        "FROM regression_series s WHERE s.regression_id = g.id) AS has_series "
        "FROM regression g CROSS JOIN nightly n ON n.id = g.nightly_id AND n.created_at_s >= ?2 "
        "AND n.created_at_s < ?3 WHERE g.created_at_s >= ?2 "
        "AND (?1 IS NULL OR g.project_id = ?1) AND g.state <> 'refuted' "
        "AND g.ended_as IS NOT 'not_reproduced'), told AS (SELECT m.state FROM missed m "
        "CROSS JOIN nightly n ON n.id = m.nightly_id AND n.created_at_s >= ?2 "
        "AND n.created_at_s < ?3 WHERE m.created_at_s >= ?2 "
        "AND (?1 IS NULL OR m.project_id = ?1)) "
        "SELECT (SELECT count(*) FROM opened WHERE found), "
        "(SELECT count(*) FROM opened WHERE has_series AND NOT found), "
        "(SELECT count(*) FROM told WHERE state = 'measuring'), "
        "(SELECT count(*) FROM told WHERE state = 'undecided')",
        scope);
}

// Whole days are counted already; of the days at both ends, the jobs of their part.
RunCounts count_runs(Database& db, const PrecisionScope& scope) {
    return *db.first<RunCounts>(
        "WITH whole(first, ending) AS (SELECT min(?3, (?2 + 86399) / 86400 * 86400), "
        "max(?3 / 86400 * 86400, min(?3, (?2 + 86399) / 86400 * 86400))), "
        "made(purpose, runs) AS (SELECT d.purpose, d.runs FROM whole CROSS JOIN day_runs d "
        "ON d.day >= first / 86400 AND d.day < ending / 86400 "
        "AND (?1 IS NULL OR d.project_id = ?1) "
        "UNION ALL SELECT j.purpose, 1 FROM whole CROSS JOIN job j ON j.created_at_s >= ?2 "
        "AND j.created_at_s < first AND (?1 IS NULL OR j.project_id = ?1) "
        "CROSS JOIN run r ON r.job_id = j.id "
        "UNION ALL SELECT j.purpose, 1 FROM whole CROSS JOIN job j ON j.created_at_s >= ending "
        "AND j.created_at_s < ?3 AND (?1 IS NULL OR j.project_id = ?1) "
        "CROSS JOIN run r ON r.job_id = j.id) "
        "SELECT ifnull(sum(runs) FILTER (WHERE purpose = 'nightly'), 0), "
        "ifnull(sum(runs) FILTER (WHERE purpose = 'confirm'), 0), "
        "ifnull(sum(runs) FILTER (WHERE purpose IN {search_purposes}), 0) FROM made",
        scope);
}

int count_nights(Database& db, const PrecisionScope& scope) {
    return *db.find<int>(
        "SELECT count(*) FROM night WHERE (?1 IS NULL OR project_id = ?1) "
        "AND ended_at_s >= ?2 AND ended_at_s < ?3",
        scope);
}

std::vector<double> list_verdict_times(Database& db, const PrecisionScope& scope) {
    return db.all<double>(
        "SELECT 1.0 * (u.ended_at_s - min(u.created_at_s, ifnull((SELECT min(p.created_at_s) "
        "FROM suspicion p WHERE p.series_id = u.series_id "
        "AND p.good_nightly_id = u.good_nightly_id AND p.id < u.id AND p.verdict = 'watch'), "
        "u.created_at_s))) FROM every_suspicion u JOIN series s ON s.id = u.series_id "
        "WHERE (?1 IS NULL OR s.project_id = ?1) AND u.created_at_s >= ?2 AND u.created_at_s < ?3 "
        "AND u.session_id IS NOT NULL AND u.state = 'ended' AND u.verdict <> 'watch' "
        "AND u.ended_at_s IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM missed m WHERE m.suspicion_id = u.id)",
        scope);
}

std::vector<NoisySeries> list_noisiest(Database& db, const PrecisionScope& scope, int limit) {
    return db.all<NoisySeries>(
        "SELECT s.id, s.shown, s.variant, c.name, s.metric, sum(u.verdict = 'noise'), "
        "sum(u.verdict = 'watch'), sum(x.runs) FROM every_suspicion u "
        "JOIN session x ON x.id = u.session_id JOIN series s ON s.id = u.series_id "
        "JOIN machine_class c ON c.id = s.machine_class_id "
        "WHERE (?1 IS NULL OR s.project_id = ?1) AND u.created_at_s >= ?2 AND u.created_at_s < ?3 "
        "AND u.session_id IS NOT NULL AND u.verdict IN {vain_verdicts} "
        "GROUP BY s.id ORDER BY count(*) DESC, 8 DESC, s.id LIMIT ?4",
        scope,
        limit);
}

}  // namespace vigil::service
