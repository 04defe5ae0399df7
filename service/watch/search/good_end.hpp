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

/// The newest night that surely is at the level from before a change: it and all before it lie
/// within a quarter of the change, nobody had to ask about one of them, and a night at the new
/// level does not come there. Pure.
/// @param nights  between the build that the change was confirmed against and the night that
///                showed it, both left out, oldest first; those that were measured
/// @param before, after  badness of both levels
/// @param spread  of a night's level, log; 0: not known
std::optional<NightlyId> newest_good(
    std::span<const LaterNight> nights, double before, double after, double spread);

/// What is searched together begins at the newest night that is known good for all of it.
/// @param members  of one search, the oldest good night first; their good nights are moved
void move_good_end(Database& db, NightlyId bad, std::vector<ConfirmedChange>& members);

}  // namespace vigil::service
