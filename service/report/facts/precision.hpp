#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "service/store/series/precision.hpp"

namespace vigil::service {

// How well the service itself did: what became of what it suspected and filed, and what that cost.

struct NoisySeriesFact : NoisySeries {
    std::optional<double> spread;  ///< of its newest nights, relative, where it is remembered
};

struct PrecisionFacts : SuspicionCounts, RegressionCounts, RecallCounts, RunCounts {
    PrecisionScope scope;
    int nights = 0;  ///< that ended

    int timed = 0;  ///< verdicts by measuring again
    /// From the night's judgement, the first where it took several, to the verdict.
    std::int64_t median_verdict_s = 0;
    std::int64_t slow_verdict_s = 0;  ///< 90 % came within

    std::vector<NoisySeriesFact> noisiest = {};  ///< most in vain first

    /// Of the regressions that a person spoke about, the share that was upheld.
    std::optional<double> upheld_share() const {
        if (upheld + refuted == 0) return std::nullopt;
        return static_cast<double>(upheld) / (upheld + refuted);
    }
};

/// Counts what was opened within the scope, as it stands now.
PrecisionFacts load_precision(Database& db, const PrecisionScope& scope);

/// The week before the one in which this night ended (weeks begin on Monday, UTC), when it is the
/// first of its project that ended in its week and an earlier one exists.
std::optional<PrecisionScope> find_week_to_report(Database& db, NightlyId nightly);

}  // namespace vigil::service
