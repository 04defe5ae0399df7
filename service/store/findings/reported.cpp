#include "service/store/findings/reported.hpp"

#include "service/store/json_columns.hpp"

namespace vigil::service {

ReportedRegression load_reported_regression(Database& db, RegressionId regression) {
    return db.load<ReportedRegression>(
        "regression",
        "SELECT r.id, r.project_id, p.name, r.state, r.ended_as, r.culprit, r.suspects, r.reason, "
        "r.good_build_id, r.bad_build_id, r.bisection_id, r.nightly_id, n.name, r.split_from_id, "
        "r.created_at_s, r.assigned FROM regression r JOIN project p ON p.id = r.project_id "
        "JOIN nightly n ON n.id = r.nightly_id WHERE r.id = ?1",
        regression);
}

std::vector<ReportedSeries> list_reported_series(Database& db, RegressionId regression) {
    return db.all<ReportedSeries>(
        "SELECT s.id, s.shown, s.variant, m.name, s.metric, s.unit, s.direction, "
        "iif(u.kind = 'outcome' AND u.verdict = 'unconfirmed', 'broken', "
        "coalesce(u.verdict, 'regression')), u.confirmed, nullif(rs.verified, '{}'), u.reason, "
        "coalesce(n.name, ''), (SELECT iif(x.outcome = 'passed', 'failed', x.outcome) FROM job j "
        "JOIN run x ON x.job_id = j.id "
        "JOIN regression r ON r.id = rs.regression_id WHERE j.session_id = u.session_id "
        "AND x.build_id = r.bad_build_id AND (x.outcome <> 'passed' OR EXISTS (SELECT 1 "
        "FROM case_failure f WHERE f.run_id = x.id AND f.case_name = s.case_name)) "
        "ORDER BY x.id DESC LIMIT 1), "
        "EXISTS (SELECT 1 FROM regression_series o WHERE o.suspicion_id = rs.suspicion_id "
        "AND o.regression_id <> rs.regression_id), u.nightly_id, s.benchmark, s.case_name, "
        "s.threshold "
        "FROM regression_series rs "
        "JOIN series s ON s.id = rs.series_id JOIN machine_class m ON m.id = s.machine_class_id "
        "JOIN suspicion u ON u.id = rs.suspicion_id "
        "LEFT JOIN nightly n ON n.id = rs.recovered_nightly_id "
        "WHERE rs.regression_id = ?1 ORDER BY s.id",
        regression);
}

std::vector<RemeasuredSeries> list_measured_again(Database& db, NightlyId nightly) {
    return db.all<RemeasuredSeries>(
        "SELECT g.id, x.series_id, u.nightly_id, u.confirmed, x.verified, "
        "EXISTS (SELECT 1 FROM regression_series o WHERE o.suspicion_id = x.suspicion_id "
        "AND o.regression_id <> x.regression_id) FROM suspicion t "
        "CROSS JOIN regression_series x ON x.series_id = t.series_id "
        "AND x.recovered_nightly_id IS NULL "
        "CROSS JOIN regression g ON g.id = x.regression_id AND g.state IN {open_regressions} "
        "CROSS JOIN suspicion u ON u.id = x.suspicion_id AND u.nightly_id < ?1 "
        "WHERE t.nightly_id = ?1 AND t.kind = 'level' AND t.verdict IS NOT NULL "
        "AND t.confirmed ->> '$.runs_after' > 0 ORDER BY g.id, x.series_id",
        nightly);
}

std::optional<AnswerFact> find_answer(Database& db, RegressionId regression) {
    return db.first<AnswerFact>(
        "SELECT iif(json_type(data, '$.from') = 'text', data ->> '$.from', ''), "
        "substr(kind, length('regression.') + 1), data ->> '$.by', "
        "iif(json_type(data, '$.reason') = 'text', data ->> '$.reason', ''), at_s FROM event "
        "WHERE subject = 'regression/' || ?1 AND json_type(data, '$.by') = 'text' "
        "ORDER BY id DESC LIMIT 1",
        regression);
}

RequestedRow load_requested(Database& db, RegressionId regression) {
    return db.load<RequestedRow>(
        "regression",
        "SELECT g.assigned, coalesce((SELECT s.author FROM suspect s "
        "WHERE s.bisection_id = g.bisection_id AND s.revision = g.culprit AND s.position > 0), "
        "''), coalesce((SELECT e.email FROM author_email e WHERE e.revision = g.culprit), ''), "
        "g.created_at_s FROM regression g WHERE g.id = ?1",
        regression);
}

std::vector<OtherSeries> list_other_series(Database& db, RegressionId regression) {
    return db.all<OtherSeries>(
        "SELECT o.id, o.culprit, o.suspects, theirs.series_id, nullif(theirs.verified, '{}') "
        "FROM regression_series mine JOIN regression_series theirs "
        "ON theirs.suspicion_id = mine.suspicion_id AND theirs.regression_id <> mine.regression_id "
        "JOIN regression o ON o.id = theirs.regression_id "
        "WHERE mine.regression_id = ?1 ORDER BY o.id, theirs.series_id",
        regression);
}

std::vector<FixFact> list_fix_facts(
    Database& db, RegressionId regression, std::optional<NightlyId> only) {
    return db.all<FixFact>(
        "SELECT m.nightly_id, m.bad_nightly_id, n.name, b.name, n.revision, b.revision, "
        "CASE m.state WHEN 'told' THEN m.told END FROM mending m "
        "JOIN nightly n ON n.id = m.nightly_id "
        "JOIN nightly b ON b.id = m.bad_nightly_id WHERE m.regression_id = ?1 "
        "AND (?2 IS NULL OR m.nightly_id = ?2) AND EXISTS (SELECT 1 FROM regression_series x "
        "WHERE x.regression_id = ?1 AND x.recovered_nightly_id = m.nightly_id) "
        "ORDER BY m.nightly_id",
        regression,
        only);
}

std::vector<EarlierFact> list_earlier_facts(Database& db, RegressionId regression) {
    return db.all<EarlierFact>(
        "SELECT o.id, o.culprit, coalesce((SELECT s.subject FROM suspect s "
        "WHERE s.bisection_id = o.bisection_id AND s.revision = o.culprit AND s.position > 0), "
        "''), coalesce((SELECT x.external_ref FROM report p JOIN outbox x ON x.report_id = p.id "
        "WHERE p.regression_id = o.id AND x.external_ref LIKE 'http%' "
        "ORDER BY p.version DESC, x.id LIMIT 1), ''), max(n.name) "
        "FROM regression r JOIN regression_series mine ON mine.regression_id = r.id "
        "JOIN regression_series theirs ON theirs.series_id = mine.series_id "
        "AND theirs.regression_id < r.id AND theirs.recovered_nightly_id IS NOT NULL "
        "JOIN regression o ON o.id = theirs.regression_id "
        "JOIN nightly n ON n.id = theirs.recovered_nightly_id AND n.id < r.nightly_id "
        "AND n.created_at_s > r.created_at_s - 30 * 86400 "
        "WHERE r.id = ?1 GROUP BY o.id ORDER BY o.id DESC LIMIT 3",
        regression);
}

std::vector<NightsRegression> list_nights_regressions(
    Database& db, ProjectId project, NightlyId nightly) {
    return db.all<NightsRegression>(
        "SELECT g.id, g.state, g.ended_as, coalesce((SELECT r.title FROM report r WHERE "
        "r.regression_id = g.id "
        "ORDER BY r.version DESC LIMIT 1), 'no report yet'), g.culprit, g.nightly_id = ?2, "
        "coalesce((SELECT max(rs.recovered_nightly_id) = ?2 AND count(*) = "
        "count(rs.recovered_nightly_id) FROM regression_series rs WHERE rs.regression_id = g.id), "
        "0), n.name, coalesce((SELECT o.external_ref FROM outbox o JOIN report r "
        "ON r.id = o.report_id WHERE r.regression_id = g.id AND o.external_ref LIKE 'http%' "
        "ORDER BY r.version DESC, o.id LIMIT 1), ''), (SELECT count(*) FROM regression_series rs "
        "WHERE rs.regression_id = g.id AND rs.recovered_nightly_id = ?2), (SELECT count(*) "
        "FROM regression_series rs WHERE rs.regression_id = g.id) "
        "FROM regression g JOIN nightly n ON n.id = g.nightly_id "
        "WHERE g.id IN (SELECT id FROM regression WHERE project_id = ?1 "
        "AND state IN {open_regressions} "
        "UNION SELECT id FROM regression WHERE nightly_id = ?2 "
        "UNION SELECT regression_id FROM regression_series WHERE recovered_nightly_id = ?2) "
        "AND g.nightly_id <= ?2 AND EXISTS "  // else it joined another
        "(SELECT 1 FROM regression_series s WHERE s.regression_id = g.id) ORDER BY g.id DESC",
        project,
        nightly);
}

}  // namespace vigil::service
