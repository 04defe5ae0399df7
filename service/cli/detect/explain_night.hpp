#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bisect/trend/explained.hpp"
#include "service/cli/history/history.hpp"

// `vigil detect FILE --explain SERIES NIGHT`: why one night says what it says. Pure functions.

namespace vigil::cli {

struct NightExplained {
    std::size_t night = 0;
    std::vector<double> samples;  ///< of the night, as the file has them
    trend::ExplainedNight why;
};

/// The position of a night that was named as the file does, or in another way of the same kind.
/// @throws Error{invalid_argument} when the history has no such night
std::size_t find_night(const History& history, const std::string& night);

NightExplained explain_night(
    const History& history,
    Direction direction,
    std::size_t night,
    const trend::LevelWatchRules& rules);

std::string explained_text(const History& history, const NightExplained& night);
nlohmann::json explained_json(const History& history, const NightExplained& night);

}  // namespace vigil::cli
