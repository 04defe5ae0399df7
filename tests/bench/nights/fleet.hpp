#pragma once

#include "tests/bench/nights/record.hpp"
#include "tests/bench/nights/world.hpp"

namespace vigil::nights {

/// Plays all nights of a world to the service's logic on a ledger in memory, in this thread, on a
/// clock that is a number. What the daemon's loops, lanes and routes do between the rows is done
/// here in their order, and workers claim in the order of their names: the same world gives the
/// same record.
Record play(const World& world);

}  // namespace vigil::nights
