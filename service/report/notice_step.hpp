#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Writes what came of what was asked for by comments, how the commits of pull requests stand, and
/// what merged ones brought, as notices in the caller's transaction. Nothing is sent here. @return
/// how many
int notice_step(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
