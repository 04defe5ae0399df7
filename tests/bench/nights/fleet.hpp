#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "service/store/database.hpp"
#include "tests/bench/nights/record.hpp"
#include "tests/bench/nights/world.hpp"

namespace vigil::nights {

/// Where a play stands after a night.
struct SoFar {
    const Record& record;
    int night = 0;
    std::int64_t now_s = 0;
};

/// How a world is played.
struct Playing {
    /// Jobs take their time, each worker its own, and a heartbeat goes with whatever happens;
    /// false: rounds of a minute, in which every worker does one job.
    bool is_timed = false;
    int build_s = 300;
    int run_s = 10;
    std::string ledger = ":memory:";  ///< a file that is not there yet, or this
    std::function<void(service::Database&, const SoFar&)> after_night = {};
};

/// When a night begins, unless the one before took longer.
std::int64_t night_begins_s(int night);

/// Plays all nights of a world to the service's logic on a ledger of its own, in this thread, on a
/// clock that is a number. What the daemon's loops, lanes and routes do between the rows is done
/// here in their order, and workers claim in the order of their names: the same world gives the
/// same record.
Record play(const World& world, const Playing& playing = {});

}  // namespace vigil::nights
