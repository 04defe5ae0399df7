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

}  // namespace vigil::service
