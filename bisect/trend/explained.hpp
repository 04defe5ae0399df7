#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bisect/trend/level_watch.hpp"

// Why one night of a series says what it says, for `vigil detect --explain` and for the page of a
// night. Pure functions.

namespace vigil::trend {

/// Measured nights on one level before a change of it can be told.
inline constexpr std::size_t least_judged_nights = 13;
/// A suspicion of so many nats is worth a measurement of its own (docs/detection.md).
inline constexpr double suspicious = 4.5;

struct ExplainedNight {
    bool measured = false;
    bool moved = false;       ///< first night of another environment
    Explanation explanation;  ///< when measured
    /// The least bad value of tonight that would be suspicious, and the least bad one that would be
    /// a change if the next night were as bad; nothing: none up to ten times the level.
    std::optional<double> suspicious_from, change_from;
    Direction direction = Direction::lower_is_better;
    LevelWatchRules rules;
};

/// @param watch  as it stands before the night, under these rules
/// @param value  of the night; NaN or infinite: nothing was measured
ExplainedNight explain_night(
    const LevelWatch& watch, double value, Direction direction, const LevelWatchRules& rules);

/// How the words name nights and values.
struct ExplainedNames {
    std::function<std::string(std::size_t night)> night;  ///< by its place in the watch
    std::function<std::string(double value)> value;
};

/// The decision of one night.
/// @param level_nights  measured, of the level it was judged against, itself too
std::string decision_words(
    const NightFinding& finding, std::size_t level_nights, const ExplainedNames& names);

/// "baseline" and its words, "rule", "decision", ...
struct ExplainedLine {
    std::string head;
    std::string words;
};
/// Of a measured night, a sentence each.
std::vector<ExplainedLine> explained_lines(
    const ExplainedNight& night, const ExplainedNames& names);

/// The newest nights as a new level against each rival (found, needed): a head and, for one newest
/// night, two, ..., a row. Empty where there is no level to be held against.
std::vector<std::vector<std::string>> explained_table(const Explanation& explanation);

}  // namespace vigil::trend
