#pragma once

#include <cstdint>

#include "service/store/database.hpp"

namespace vigil::service {

/// The ledger's steady time, as it was stored last: exact to the minute while a daemon runs.
std::int64_t load_steady_s(Database& db);

void store_steady_s(Database& db, std::int64_t steady_s);

}  // namespace vigil::service
