#include "service/store/lists/chart.hpp"

#include <nlohmann/json.hpp>

#include "service/store/lists/list.hpp"

namespace vigil::service {

std::vector<ChartRun> list_chart_runs(Database& db, SeriesId series, const NightRange& nights) {
    return db.all<ChartRun>(
        "SELECT v.nightly_id, w.name, v.median, v.spread, v.environment_id,"
        " EXISTS (SELECT 1 FROM left_out o WHERE o.nightly_id = v.nightly_id"
        "  AND o.worker_id IN (0, v.worker_id))"
        " FROM night_value v CROSS JOIN night n ON n.id = v.nightly_id"
        " CROSS JOIN worker w ON w.id = v.worker_id"
        " WHERE v.series_id = ?1 AND v.nightly_id BETWEEN ?2 AND ?3"
        " ORDER BY v.nightly_id, v.run_id",
        series,
        nights.from,
        nights.until);
}

nlohmann::json load_chart_sessions(Database& db, SeriesId series, const NightRange& nights) {
    return all_rows(db.query(
        "SELECT id AS suspicion, nightly_id AS nightly, good_nightly_id AS good_nightly,"
        " session_id AS session, state, verdict, base, value, change_ratio,"
        " confirmed AS 'confirmed:json', reason FROM suspicion"
        " WHERE series_id = ?1 AND nightly_id BETWEEN ?2 AND ?3 ORDER BY nightly_id",
        series,
        nights.from,
        nights.until));
}

nlohmann::json load_chart_regressions(Database& db, SeriesId series, const NightRange& nights) {
    return all_rows(db.query(
        "SELECT regression.id AS regression, suspicion.nightly_id AS nightly, regression.state,"
        " regression.culprit, link.recovered_nightly_id AS recovered_nightly"
        " FROM regression_series AS link"
        " JOIN suspicion ON suspicion.id = link.suspicion_id"
        " JOIN regression ON regression.id = link.regression_id"
        " WHERE link.series_id = ?1 AND suspicion.nightly_id BETWEEN ?2 AND ?3"
        " ORDER BY regression.id",
        series,
        nights.from,
        nights.until));
}

nlohmann::json load_chart_baselines(Database& db, SeriesId series) {
    return all_rows(db.query(
        "SELECT baseline.kind, baseline.nightly_id AS nightly, nightly.name AS night,"
        " baseline.reason, baseline.created_at_s"
        " FROM baseline JOIN nightly ON nightly.id = baseline.nightly_id"
        " WHERE baseline.series_id = ?1 AND baseline.withdrawn = 0 ORDER BY baseline.id DESC"
        " LIMIT 500",
        series));
}

nlohmann::json load_environment_facts(Database& db, std::int64_t environment) {
    const auto rows = all_rows(
        db.query("SELECT id, facts AS 'facts:json' FROM environment WHERE id = ?1", environment));
    return rows.empty() ? nlohmann::json() : rows[0].at("facts");
}

}  // namespace vigil::service
