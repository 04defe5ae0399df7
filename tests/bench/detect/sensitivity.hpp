#pragma once

#include <string>
#include <vector>

namespace vigil::bench {

struct SensitivityOptions {
    std::string word = "maple";
    int series = 100;    ///< of each noise: one clean and one with a step each
    std::string prefix;  ///< only rules whose name begins so
    std::string set;     ///< "name=value,name=value": these together, and no other
};

/// Every rule of detection at half and double, by the same series: what is missed and falsely filed
/// more than by the rules as they are, and how many more runs a clean night takes.
/// @throws Error{invalid_argument} when a name is unknown
void print_sensitivity(const SensitivityOptions& options);

}  // namespace vigil::bench
