#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/config/links.hpp"
#include "service/report/facts/machine_hours.hpp"
#include "service/report/facts/precision.hpp"
#include "service/store/findings/improvements.hpp"
#include "service/store/findings/reported.hpp"
#include "service/store/findings/reported_searches.hpp"
#include "service/store/machines/storms.hpp"
#include "service/store/nights/reported.hpp"
#include "service/store/nights/rolled.hpp"
#include "service/store/series/reported.hpp"
#include "service/store/work/machine_time.hpp"
#include "service/store/work/reported.hpp"

namespace vigil::service {

// What the summary of one night says, as plain values.

/// A regression that is open, or changed that night.
struct NightRegressionFact : NightsRegression {
    std::vector<FixFact> fixes = {};  ///< of this night
};

/// What was measured beside the nights of one series.
struct NightValueFact {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    double value = 0;  ///< median over processes, metric's unit
    std::size_t runs = 0;
};

/// Of a nightly that does not build: the search for the commit that broke it.
struct BreakageFact : ReportedBreakage, BreakingCommit {};

struct NightFacts : ReportedNight {
    Links links;
    std::string marker;     ///< last line of the summary, by which it is found again
    std::string withdrawn;  ///< the whole night: by whom and why, in words; empty: it counts

    std::map<Purpose, NightWorkFact> work;
    std::optional<RolledUp> rolled_up = {};      ///< its own runs
    std::vector<MachineTime> machine_time = {};  ///< of the same jobs, by class
    std::vector<BudgetDay> budget_days = {};     ///< of its project, where that has a budget
    std::int64_t measured_series = 0;    ///< judged series with a value from the nightly's own runs
    std::int64_t first_series = 0;       ///< of the measured: no earlier night has a value
    std::vector<NightValueFact> values;  ///< of what is measured beside the nights
    std::vector<NightChangeFact> changes;
    std::vector<NightRegressionFact> regressions;
    std::vector<NightImprovement> improvements;  ///< whose commit is searched
    std::vector<NightDriftFact> drifts;
    std::vector<NightStormFact> storms;
    std::vector<MissingFact> missing;
    std::vector<LostFact> lost;
    std::optional<BreakageFact> breakage;
    std::vector<std::string> series_notes;    ///< what came, went, or is measured in another way
    std::optional<PrecisionFacts> last_week;  ///< of the first night of each week
};

/// The newest search for what broke the build of a nightly.
std::optional<BreakageFact> find_breakage(Database& db, NightlyId nightly);

/// Reads a night's facts; works in every state of a night.
/// @throws Error{not_found} when there is no such nightly
NightFacts load_night_facts(Database& db, NightlyId nightly, const Config& config);

}  // namespace vigil::service
