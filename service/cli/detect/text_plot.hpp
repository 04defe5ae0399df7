#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace vigil::cli {

/// A series as a small plot: values as points, levels as lines, what was not measured as a gap.
/// @param values  [n] NaN: not measured
/// @param starts  where levels begin, without the first, in increasing order
/// @param width   of the terminal, at least 30 are used
/// @return  lines with their ends; empty when nothing was measured
std::string text_plot(
    std::span<const double> values, std::span<const std::size_t> starts, std::size_t width);

}  // namespace vigil::cli
