#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "schema/model/metric.hpp"

namespace vigil::detect {

/// A level of a series, from its first night to tonight.
struct CreepInput {
    std::span<const double> level;      ///< [n] one value a night, > 0, oldest first, tonight last
    std::optional<std::size_t> pinned;  ///< position of the pinned night, when it is of this level
    Direction direction = Direction::lower_is_better;
    double threshold = 0.07;  ///< change ratio above which worse counts
};

/// Small changes for the worse that together exceed the threshold.
struct Creep {
    std::size_t begin = 0;    ///< the last night before the sum began: the baseline
    double base = 0;          ///< what the sum is counted from, metric's unit
    double value = 0;         ///< of the newest nights, metric's unit
    double change_ratio = 0;  ///< value against base
    std::string reason;       ///< for a person
};

/// The creep of a level: its newest nights against its oldest ones, or against the pinned night,
/// whichever is worse. A rolling baseline follows what moves slowly and never sees it.
/// @throws Error{invalid_argument} when a value is not above 0 or the pinned night is not there
std::optional<Creep> find_creep(const CreepInput& input);

/// How far from a level a night may lie and still count as one of it, in logs: the noise from night
/// to night, but at least a seventh and at most half of the threshold.
/// @param nights  [n] values, > 0, in order
double level_tolerance(std::span<const double> nights, double threshold);

}  // namespace vigil::detect
