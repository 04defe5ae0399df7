#pragma once

#include <string>

#include "service/tables/summary.hpp"

namespace vigil::tables {

/// One SVG document: a bar for each model, best first, of its speedup (a line at 1); where a table
/// of times has no base, of its times; and the parallel efficiency of what was run with several
/// workers. What fails has no bar, and is counted below. It holds no script and names no other
/// file.
/// @return  empty when there is nothing to draw
std::string chart_svg(const Summary& summary);

}  // namespace vigil::tables
