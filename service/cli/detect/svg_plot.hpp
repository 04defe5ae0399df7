#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "service/cli/detect/study.hpp"
#include "service/cli/history/history.hpp"

namespace vigil::cli {

struct SvgPanel {
    const History* history = nullptr;
    const Study* study = nullptr;
};

/// At most so many series are drawn; a line says how many were left out.
inline constexpr std::size_t most_svg_panels = 50;

/// Series under each other as one SVG that needs nothing beside it: values as points, levels as
/// lines, plausible first nights shaded, raised nights marked, other environments as dashed lines.
/// Names and nights are written as text, never as markup.
std::string svg_plot(const std::vector<SvgPanel>& panels);

}  // namespace vigil::cli
