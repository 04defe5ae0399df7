#pragma once

#include <nlohmann/json_fwd.hpp>

#include "service/api/rows/asker.hpp"

namespace vigil::service {

/// A search as views (search_view.hpp): `range`, `posterior`, one for each series, and `probes`.
/// @param bisection  of /api/v1/bisections/{id}
/// @param standing   of its standing
nlohmann::json search_parts(
    const Asker& asker, const nlohmann::json& bisection, const nlohmann::json& standing);

}  // namespace vigil::service
