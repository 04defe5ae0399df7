#pragma once

#include <string_view>

namespace vigil {

/// Of the programs, as the build names it: "0.1.0".
std::string_view program_version();

}  // namespace vigil
