#include "service/store/findings/night_findings.hpp"

namespace vigil::service {

std::vector<OpenLevel> list_open_levels(Database& db, ProjectId project) {
    std::vector<OpenLevel> open;
    auto rows = db.query(
        "SELECT x.series_id, g.id, u.good_nightly_id, u.base, u.confirmed, s.direction "
        "FROM regression g JOIN regression_series x ON x.regression_id = g.id "
        "AND x.recovered_nightly_id IS NULL JOIN suspicion u ON u.id = x.suspicion_id "
        "AND u.kind = 'level' JOIN series s ON s.id = x.series_id WHERE g.project_id = ?1 "
        "AND g.state IN ('searching', 'attributed', 'range', 'reported', 'acknowledged') "
        "ORDER BY g.id",
        project);
    while (rows.next()) {
        open.push_back(
            {rows.get<SeriesId>(0),
             rows.get<RegressionId>(1),
             rows.get<NightlyId>(2),
             rows.get<double>(3),
             rows.get<std::string>(4),
             rows.get<Direction>(5)});
    }
    return open;
}

void touch_regressions_of(Database& db, NightlyId nightly, std::int64_t now_s) {
    db.execute(
        "UPDATE regression SET changed_at_s = ?2 WHERE nightly_id = ?1 OR id IN (SELECT "
        "regression_id FROM regression_series WHERE recovered_nightly_id = ?1)",
        nightly,
        now_s);
}

std::vector<OpenBisection> list_open_bisections(Database& db, NightlyId nightly) {
    std::vector<OpenBisection> open;
    auto rows = db.query(
        "SELECT id, state FROM bisection WHERE nightly_id = ?1 "
        "AND state IN ('listing', 'searching', 'verifying') ORDER BY id",
        nightly);
    while (rows.next()) open.push_back({rows.get<BisectionId>(0), rows.get<BisectionState>(1)});
    return open;
}

std::vector<RegressionId> list_unsearched_regressions(Database& db, NightlyId nightly) {
    std::vector<RegressionId> unsearched;
    auto rows = db.query(
        "SELECT id FROM regression WHERE nightly_id = ?1 AND state IN ('confirmed', 'searching') "
        "ORDER BY id",
        nightly);
    while (rows.next()) unsearched.push_back(rows.get<RegressionId>(0));
    return unsearched;
}

std::vector<SearchedRegression> list_searched_regressions(Database& db, BisectionId bisection) {
    std::vector<SearchedRegression> searched;
    auto rows = db.query(
        "SELECT id, culprit IS NOT NULL FROM regression WHERE state = 'searching' "
        "AND (bisection_id = ?1 OR bisection_id = (SELECT outer_id FROM bisection WHERE id = ?1)) "
        "ORDER BY id",
        bisection);
    while (rows.next()) searched.push_back({rows.get<RegressionId>(0), rows.get<bool>(1)});
    return searched;
}

void fail_unreadable_bisection(
    Database& db,
    BisectionId bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s) {
    db.execute(
        "UPDATE bisection SET state = 'failed', conclusion = ?2, settings = ?3, ended_at_s = ?4 "
        "WHERE id = ?1 AND state IN ('listing', 'searching', 'verifying')",
        bisection,
        to_text(conclusion),
        to_text(BisectionSettings{}),
        now_s);
}

}  // namespace vigil::service
