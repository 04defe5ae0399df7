#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bisect/trend/level_watch.hpp"
#include "service/cli/history/history.hpp"

// `vigil detect FILE --explain SERIES NIGHT`: why one night says what it says. Pure functions.

namespace vigil::cli {

struct NightExplained {
    std::size_t night = 0;
    Direction direction = Direction::lower_is_better;
    bool measured = false;
    std::vector<double> samples;     ///< of the night, as the file has them
    trend::Explanation explanation;  ///< when measured
    /// The least bad value of tonight that would be suspicious, and the least bad one that would be
    /// a change if the next night were as bad; nothing: none up to ten times the level.
    std::optional<double> suspicious_from, change_from;
    trend::LevelWatchRules rules;
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
