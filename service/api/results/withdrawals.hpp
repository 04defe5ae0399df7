#pragma once

#include <nlohmann/json_fwd.hpp>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// What of a nightly is withdrawn now, as replies tell it: an array, empty for most.
nlohmann::json withdrawals_of(Database& db, NightlyId nightly);

}  // namespace vigil::service
