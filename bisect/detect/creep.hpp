#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "schema/model/metric.hpp"

namespace vigil::detect {

/// A level of a series, from its first night to tonight.
struct CreepInput {
    std::span<const double> level;  ///< [n] one value a night, > 0, oldest first, tonight last
    std::span<const double> oldest =
        {};                             ///< badness of its oldest nights, where `level` lacks them
    std::optional<double> pinned = {};  ///< value of the pinned night, when it is of this level
    double memory = 0;  ///< SeriesNoise::memory of the level: what wanders looks like a creep
    Direction direction = Direction::lower_is_better;
    double threshold = 0.07;  ///< change ratio above which worse counts
};

/// Small changes for the worse that together exceed the threshold.
struct Creep {
    std::size_t begin = 0;    ///< the last night before the sum began: the baseline
    double base = 0;          ///< what the sum is counted from, metric's unit
    double value = 0;         ///< of the newest nights, metric's unit
    double change_ratio = 0;  ///< value against base
    bool is_step = false;     ///< one step is above the threshold by itself: it begins there
    std::string reason;       ///< for a person
};

/// The creep of a level: its newest nights against its oldest ones, or against the pinned night,
/// whichever is worse. A rolling baseline follows what moves slowly and never sees it.
/// @source  docs/detection.md, "Sums of small changes"
/// @throws Error{invalid_argument} when a value is below 0
std::optional<Creep> find_creep(const CreepInput& input);

}  // namespace vigil::detect
