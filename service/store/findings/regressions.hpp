#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "service/store/database.hpp"

// The rows of regressions. Nothing else changes them.

namespace vigil::service {

/// Moves a regression to another state with the reason, and tells of it by the event
/// "regression.STATE". One that has recovered or is closed stays so: a search may end after that.
/// @return  whether it was moved
/// @throws Error{conflict} where the state machine has no such arrow, see
///         schema/model/transitions.hpp
bool move_regression(
    Database& db,
    RegressionId regression,
    RegressionState to,
    const std::string& reason,
    std::int64_t now_s);

/// Moves a regression whose search has ended, with a culprit or a range, to `reported`. Unlike
/// move_regression it keeps the reason, which the report tells, and records no event: the caller
/// does once the report is stored, with the report's title.
/// @return  whether it was moved; false in every other state
bool move_to_reported(Database& db, RegressionId regression, std::int64_t now_s);

}  // namespace vigil::service
