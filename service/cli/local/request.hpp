#pragma once

#include "service/cli/common/command.hpp"
#include "service/local/request.hpp"

namespace vigil::cli {

/// What the options of `compare` and `bisect run` say.
/// @param world  its environment tells the state folder: XDG_STATE_HOME, HOME
/// @throws Error{invalid_argument} naming the option
local::LocalRequest request_of(const Invocation& invocation, const Surroundings& world);

}  // namespace vigil::cli
