#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// What the chart of a series shows of its nights. Nights are those of the series' project, from
// `from` to `until`, both included.

namespace vigil::service {

/// A range of nights.
struct NightRange {
    NightlyId from;
    NightlyId until;
};

/// A night, measured or not.
struct ChartNightRow {
    NightlyId nightly;
    std::string name;
    std::string revision;
    std::string state;
    std::int64_t created_at_s = 0;
};

/// A passed run of a night's own.
struct ChartRun {
    NightlyId nightly;
    WorkerId worker;
    double value = 0;  ///< median of its samples, the series' unit
    double spread = 0;
    std::optional<std::int64_t> environment;
    bool left_out = false;  ///< shown, and nothing is judged by it
};
/// Those of these nights, in their order and in that of the runs.
/// @param nights  oldest first
std::vector<ChartRun> list_chart_runs(
    Database& db, SeriesId series, std::span<const ChartNightRow> nights);

/// What the workers are called.
std::map<WorkerId, std::string> list_worker_names(Database& db);

/// What was asked about the series in these nights, and what its sessions said.
nlohmann::json load_chart_sessions(Database& db, SeriesId series, const NightRange& nights);

/// Regressions that hold the series, and were found in these nights.
nlohmann::json load_chart_regressions(Database& db, SeriesId series, const NightRange& nights);

/// Where its levels were begun by an answer or a person, and which night is pinned; of all nights.
nlohmann::json load_chart_baselines(Database& db, SeriesId series);

/// The facts of an environment; null: they cannot be read.
nlohmann::json load_environment_facts(Database& db, std::int64_t environment);

}  // namespace vigil::service
