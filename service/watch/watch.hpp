#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Moves one night on as far as the ledger allows: judges it when its jobs have ended, confirms,
/// groups, searches, closes. All of it is rows; what must happen outside (exports, listings) is
/// asked for through list_missing_sources and list_missing_suspects. Runs in one transaction of the
/// writer, so a kill in between changes nothing.
/// @return  whether it came to another state: then a further step may find more to do
bool advance_nightly(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s);

}  // namespace vigil::service
