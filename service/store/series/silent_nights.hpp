#pragma once

#include <optional>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Nights in which a series' variant did not run. Reads `run` and `job`.

namespace vigil::service {

/// The newest night between two, both excluded, in which runs of the series' variant failed and
/// none passed.
/// @param limit  so many of the newest nights between them are looked at
std::optional<NightlyId> find_silent_night(
    Database& db, SeriesId series, NightlyId after, NightlyId before, int limit);

}  // namespace vigil::service
