#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/storm.hpp"
#include "service/store/database.hpp"

// What a night as a whole asks and does of machines (tables canary_check and storm).

namespace vigil::service {

/// The name of a worker whose canary moved in this night.
std::optional<std::string> find_moved_canary(Database& db, NightlyId nightly);

/// Many series of one worker moved in this night.
struct NightStormFact {
    std::string worker;
    StormState state = StormState::checking;
    int series = 0;  ///< of the worker, whose nights can tell
    int suspicious = 0;
    double moved_ratio = 0;
    int rebased = 0;  ///< series that start a new baseline
    std::string message;
};
/// In the order they were found.
std::vector<NightStormFact> list_night_storms(Database& db, NightlyId nightly);

/// Gives the storms up whose check has not ended.
/// @param worker  only its storms; nullopt: all of the night
void give_up_storms(
    Database& db,
    NightlyId nightly,
    std::optional<WorkerId> worker,
    const std::string& why,
    std::int64_t now_s);

}  // namespace vigil::service
