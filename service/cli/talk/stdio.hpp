#pragma once

#include <functional>
#include <string>

#include "service/cli/common/command.hpp"

namespace vigil::cli {

/// One line in, at most one line out, until the other side closes.
/// @param answer  to a line; "" for none
ExitCode talk_over_stdio(
    const Surroundings& world, const std::function<std::string(const std::string&)>& answer);

}  // namespace vigil::cli
