#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "service/store/database.hpp"

// What was suspected and filed in a stretch of time, and what that cost.

namespace vigil::service {

/// A stretch of time, and one project or all.
struct PrecisionScope {
    std::optional<ProjectId> project;
    std::int64_t since_s = 0;
    std::int64_t until_s = 0;  ///< not included
};

struct SuspicionCounts {
    int suspicions = 0;  ///< opened
    int checks = 0;      ///< of these: asked for although nothing looked different
    int confirmed = 0;   ///< surely worse by more than the threshold, broken or leaking
    int drifts = 0;
    int not_reproduced = 0;
    int environment = 0;
    int improvements = 0;
    int undecided = 0;  ///< measured, and went on with the next night
    int waited = 0;     ///< the night had no runs for them
    int open = 0;       ///< without a verdict yet
};
SuspicionCounts count_suspicions(Database& db, const PrecisionScope& scope);

/// What a person said of regressions, and what became of the others.
struct RegressionCounts {
    int regressions = 0;  ///< opened
    int refuted = 0;
    int upheld = 0;           ///< acknowledged or accepted
    int not_found_again = 0;  ///< the search could not reproduce them
    int recovered = 0;        ///< closed by themselves, without a word
};
RegressionCounts count_regressions(Database& db, const PrecisionScope& scope);

/// What there was to find: regressions by the night that showed them first.
struct RecallCounts {
    int found = 0;             ///< by the service itself; not what was refuted or not found again
    int told_regressions = 0;  ///< of what people told: confirmed, each cause once
    int told_measuring = 0;    ///< still being measured
    int told_undecided = 0;    ///< measuring again could not tell

    int missed() const { return told_regressions + told_measuring + told_undecided; }
    /// The share that the service found.
    std::optional<double> recall() const {
        const int all = found + missed();
        return all == 0 ? std::nullopt : std::optional(static_cast<double>(found) / all);
    }
};
RecallCounts count_recall(Database& db, const PrecisionScope& scope);

struct RunCounts {
    std::int64_t nightly_runs = 0;
    std::int64_t confirm_runs = 0;
    std::int64_t search_runs = 0;
};
RunCounts count_runs(Database& db, const PrecisionScope& scope);

/// Nights that ended.
int count_nights(Database& db, const PrecisionScope& scope);

/// Of verdicts by measuring again: seconds from the night's judgement, the first where it took
/// several, to the verdict.
std::vector<double> list_verdict_times(Database& db, const PrecisionScope& scope);

/// A series that asked for sessions in vain.
struct NoisySeries {
    SeriesId id;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    int not_reproduced = 0;
    int undecided = 0;
    std::int64_t runs = 0;  ///< of its sessions
};
/// Most in vain first.
std::vector<NoisySeries> list_noisiest(Database& db, const PrecisionScope& scope, int limit);

}  // namespace vigil::service
