#pragma once

#include <string>
#include <string_view>

namespace vigil {

/// Of the programs, as the build names it: "0.2.0".
std::string_view program_version();

/// What --version prints: "vigild 0.2.0 (f11dad592f60)"; without the commit where the build did not
/// know it. Programs only: their library is linked anew for each commit.
std::string version_line(std::string_view program);

}  // namespace vigil
