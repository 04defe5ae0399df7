#include "service/store/lists/chart.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "service/store/lists/list.hpp"

namespace vigil::service {

namespace {

/// Of one worker, or of all.
struct LeftOut {
    NightlyId nightly;
    WorkerId worker;
};
constexpr WorkerId all_workers{0};

struct WorkerName {
    WorkerId id;
    std::string name;
};

}  // namespace

std::vector<ChartRun> list_chart_runs(
    Database& db, SeriesId series, std::span<const ChartNightRow> nights) {
    if (nights.empty()) return {};
    const auto from = nights.front().nightly;
    const auto until = nights.back().nightly;
    auto runs = db.all<ChartRun>(
        "SELECT nightly_id, worker_id, median, spread, environment_id, 0 FROM night_run"
        " WHERE series_id = ?1 AND nightly_id BETWEEN ?2 AND ?3 ORDER BY nightly_id, run_id",
        series,
        from,
        until);
    std::erase_if(runs, [&](const ChartRun& run) {  // of builds beside these nights
        return !std::ranges::binary_search(nights, run.nightly, {}, &ChartNightRow::nightly);
    });
    const auto left_out = db.all<LeftOut>(
        "SELECT o.nightly_id, o.worker_id FROM (SELECT DISTINCT nightly_id FROM night_value"
        " WHERE series_id = ?1 AND nightly_id BETWEEN ?2 AND ?3) v"
        " CROSS JOIN left_out o ON o.nightly_id = v.nightly_id",
        series,
        from,
        until);
    for (const auto& [nightly, worker] : left_out) {
        auto run = std::ranges::lower_bound(runs, nightly, {}, &ChartRun::nightly);
        for (; run != runs.end() && run->nightly == nightly; ++run) {
            if (worker == all_workers || worker == run->worker) run->left_out = true;
        }
    }
    return runs;
}

std::map<WorkerId, std::string> list_worker_names(Database& db) {
    std::map<WorkerId, std::string> names;
    for (auto& [id, name] : db.all<WorkerName>("SELECT id, name FROM worker")) {
        names.emplace(id, std::move(name));
    }
    return names;
}

nlohmann::json load_chart_sessions(Database& db, SeriesId series, const NightRange& nights) {
    return all_rows(db.query(
        "SELECT id AS suspicion, nightly_id AS nightly, good_nightly_id AS good_nightly,"
        " session_id AS session, state, verdict, base, value, change_ratio,"
        " confirmed AS 'confirmed:json', reason,"
        " (SELECT iif(count(*) = 1, max(link.verified), NULL) FROM regression_series AS link"
        "  WHERE link.suspicion_id = suspicion.id) AS 'verified:json' FROM suspicion"
        " WHERE series_id = ?1 AND nightly_id BETWEEN ?2 AND ?3 ORDER BY nightly_id",
        series,
        nights.from,
        nights.until));
}

nlohmann::json load_chart_regressions(Database& db, SeriesId series, const NightRange& nights) {
    return all_rows(db.query(
        "SELECT regression.id AS regression, suspicion.nightly_id AS nightly, regression.state,"
        " regression.ended_as, regression.culprit, link.recovered_nightly_id AS recovered_nightly"
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
