#pragma once

#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"

namespace vigil {

using CanaryCheckId = Id<struct CanaryCheckTag>;

/// What became of a worker's canary in one night.
enum class CanaryState {
    measuring,  ///< it runs
    again,      ///< it looked moved and runs once more
    learning,   ///< too few nights to tell; with a moved ratio: its whole class moved as one
    steady,     ///< where it always is
    moved,      ///< twice off its chart, it alone: the worker is held, its night is not judged
    missing,    ///< it gave no value
};

}  // namespace vigil
