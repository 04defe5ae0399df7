#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/recipe.hpp"
#include "schema/profile/why.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/whys.hpp"
#include "service/store/work/profiled_steps.hpp"

// Why a verified culprit is slower, or takes more memory: it and its parent run once each under
// callgrind or dhat, as one job of the worker that verified it, behind all that is measured.
// docs/bisection.md, Why.

namespace vigil::service {

/// A series of a regression, as one that may be profiled.
struct WhyCandidate {
    SeriesId series;
    Metric metric = Metric::wall_time_ns;
    BenchmarkKind kind = BenchmarkKind::command;
    bool by_outcome = false;  ///< it no longer runs
    double change_ratio = 0;
    MachineClassId machine_class = {};
};

/// A series that is profiled.
struct ProfiledSeries {
    SeriesId series;
    /// By what; the first tells most. Operators of vigil-bench come beside callgrind or dhat, and
    /// perf behind callgrind: its runs are cheap, and tell where callgrind cannot.
    std::vector<Profiler> profilers;
};

/// Which series are profiled, or why none is.
struct WhyChoice {
    std::vector<ProfiledSeries> series;  ///< one that is no memory, one of memory, or both
    std::string why_none;                ///< one sentence
};

/// The one that got worse the most, of those that callgrind can tell something of, and of those
/// that dhat can: both on machines of one class.
WhyChoice choose_profiled(const std::vector<WhyCandidate>& candidates);

/// The plan of a benchmark as it is profiled: alone, and with a limit of its own.
BenchmarkPlan profiled_plan(BenchmarkPlan plan, Profiler profiler, int timeout_s);

/// Whether a worker with this label can profile so.
bool profiles_by(std::string_view label, Profiler profiler);

/// What the steps of one profiler are to explain.
struct ProfiledBy {
    Profiler profiler = Profiler::callgrind;
    MetricKind kind = MetricKind::time;  ///< of what was measured
    double change_ratio = 0;             ///< that was measured
};

/// What profiled steps say: the parent's are the even ones, the culprit's the odd ones, two for
/// each profiler. Samples are told where callgrind's counts are missing or leave the question open,
/// before these; else not.
/// @param profiles  in the order of the steps
/// @param touched   files that the culprit changes
WhyAnswer answer_of(
    const std::vector<ProfiledStep>& steps,
    const std::vector<ProfiledBy>& profiles,
    const std::set<std::string>& touched);

/// Asks why a regression's verified culprit is slower. @return  whether it is asked now
bool ask_why_of(Database& db, RegressionId regression, std::int64_t now_s);

/// The same by hand. @throws Error{conflict} where it makes no sense, with the reason
void ask_why_by_hand(
    Database& db, const Config& config, RegressionId regression, std::int64_t now_s);

/// Moves each open question on: asks for its job, or reads what came of it. A regression that has
/// its answer is told anew.
void advance_whys(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
