#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/api/results/precision.hpp"
#include "service/api/results/thresholds.hpp"

// How well the service itself did, in words. Pure functions.

namespace vigil::service {

/// "9 of 10 regressions that somebody answered were upheld"
std::string trust_title(const PrecisionFacts& facts);

/// Figures for the list of figures: what was opened, how long a verdict took, what it cost.
nlohmann::json trust_figures(const PrecisionFacts& facts);

/// What became of all suspicions, and of all regressions: word, count, share, what it means.
nlohmann::json suspicion_rows(const PrecisionFacts& facts);
nlohmann::json answered_rows(const PrecisionFacts& facts);

/// The series that were measured again in vain the most.
nlohmann::json noisy_rows(const PrecisionFacts& facts);

/// What other thresholds would have said.
nlohmann::json threshold_rows(const std::vector<ThresholdCounts>& thresholds);

}  // namespace vigil::service
