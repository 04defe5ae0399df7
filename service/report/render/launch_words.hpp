#pragma once

#include <optional>
#include <string>

#include "schema/model/launch.hpp"

namespace vigil::service {

/// A launch for a shell, by programs that a machine has: taskset, numactl, env.
struct LaunchWords {
    std::string lines;   ///< set what `prefix` needs, and say what is missing; may be empty
    std::string prefix;  ///< before the command, with a space at its end; may be empty
};

LaunchWords launch_words(const std::optional<Launch>& launch);

}  // namespace vigil::service
