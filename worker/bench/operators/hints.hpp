#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

// What would make an iteration faster, where a variant of it was measured. Pure.

namespace vigil_bench {

struct Hint {
    std::string kind;     ///< "element_wise_chain", "foreach", "small_operators"
    std::string what;     ///< for people
    double saves_ns = 0;  ///< of an iteration: median of the rounds
    double low_ns = 0;    ///< 95 % interval of it, by the rounds' order
    double high_ns = 0;
};

/// Rounds in which both variants are measured, one after the other.
inline constexpr std::size_t hint_rounds = 15;

/// From what the variant took less, round by round.
/// @param saved_ns  [hint_rounds]
/// @param times     how often an iteration does it
Hint hint_of(std::string kind, std::string what, std::vector<double> saved_ns, double times);

/// Only what surely saves, and at least 1 % of the step; the largest first.
std::vector<Hint> worth_saying(std::vector<Hint> hints, double step_ns);

/// How many variants were measured, by kind; of those that save too little there is no hint.
nlohmann::json measured_json(const std::vector<Hint>& measured);

/// [{"kind", "what", "saves_ns", "interval_ns": [low, high], "share"}, ...]
nlohmann::json hints_json(const std::vector<Hint>& hints, double step_ns);

/// A line each.
std::string hints_text(const std::vector<Hint>& hints, double step_ns);

}  // namespace vigil_bench
