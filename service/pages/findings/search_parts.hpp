#pragma once

#include <nlohmann/json_fwd.hpp>

#include "service/api/findings/standing.hpp"
#include "service/api/rows/findings.hpp"

namespace vigil::service {

/// A search as parts of a view (search_view.hpp): `range`, `probes`, and `likely` with a
/// `posterior` for each series, each null where there is none.
nlohmann::json search_parts(
    const Asker& asker, const WholeSearch& search, const SearchStanding& standing);

}  // namespace vigil::service
