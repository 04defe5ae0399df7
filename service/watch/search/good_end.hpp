#pragma once

#include <optional>
#include <span>
#include <vector>

#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/watch/recover/fix.hpp"

// Where the search of a confirmed change begins: sessions take old builds that are some nights old,
// and nights between may be known good.

namespace vigil::service {

/// What is searched together begins at the newest night that is known good for all of it.
/// @param members  of one search, the oldest good night first; their good nights are moved
void move_good_end(Database& db, NightlyId bad, std::vector<ConfirmedChange>& members);

}  // namespace vigil::service
