#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "schema/model/metric.hpp"

namespace vigil::service {

/// How far a series has moved within some nights.
struct Moved {
    double base = 0;                   ///< its level before, the series' unit
    double value = 0;                  ///< the newest level, or the newest night's value
    double change_ratio = 0;           ///< how much worse
    std::optional<std::size_t> since;  ///< first night of the newest level; nothing: one level
};

/// The newest level against the first one where two levels are surely apart; else the newest
/// night against the median of those before. A pure function.
/// @param values  oldest first; NaN: not measured
/// @return  nothing where fewer than two nights were measured, or a level is negative
std::optional<Moved> moved_within(std::span<const double> values, Direction direction);

}  // namespace vigil::service
