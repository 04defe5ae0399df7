#pragma once

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

#include "service/api/results/night_summary.hpp"

// What a night says of other backends against its base. Pure functions.

namespace vigil::service {

/// The ways of a night with the most models first, for the template ratios.html; null where it has
/// none.
/// @param most  shown; of what is left out only its number is told where not all are
nlohmann::json ratios_view(const NightSummary& summary, std::size_t most);

/// Of all ways, with the names of whom the means leave out.
nlohmann::json all_ratios_view(const NightSummary& summary);

}  // namespace vigil::service
