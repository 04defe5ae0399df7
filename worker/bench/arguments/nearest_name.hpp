#pragma once

#include <string>
#include <vector>

namespace vigil_bench {

/// The name of the fewest changed, added, missing or exchanged letters, the first of several; empty
/// when more than a third of the letters differ.
std::string nearest_name(const std::string& wrong, const std::vector<std::string>& names);

/// "; did you mean 'x'?" where there is such a name, otherwise empty.
std::string suggestion(const std::string& wrong, const std::vector<std::string>& names);

}  // namespace vigil_bench
