#pragma once

#include <string>

#include "service/tables/summary.hpp"

// The tables of times, throughputs and shares in Markdown.

namespace vigil::tables {

std::string times_text(const BatchTable& table, Detail detail);
std::string scaling_text(const ScalingTable& scaling, Detail detail);
std::string breakdown_text(const Breakdown& breakdown);

}  // namespace vigil::tables
