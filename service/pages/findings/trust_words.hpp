#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

// How well the service itself did, in words. Pure functions of what /api/v1/precision answers.

namespace vigil::service {

/// "9 of 10 regressions that somebody answered were upheld"
std::string trust_title(const nlohmann::json& facts);

/// Figures for the list of figures: what was opened, how long a verdict took, what it cost.
nlohmann::json trust_figures(const nlohmann::json& facts);

/// What became of all suspicions, and of all regressions: word, count, share, what it means.
nlohmann::json suspicion_rows(const nlohmann::json& facts);
nlohmann::json answered_rows(const nlohmann::json& facts);

/// The series that were measured again in vain the most.
nlohmann::json noisy_rows(const nlohmann::json& facts);

/// @param other  what /api/v1/precision/thresholds answers
nlohmann::json threshold_rows(const nlohmann::json& other);

}  // namespace vigil::service
