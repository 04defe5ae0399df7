#pragma once

#include <string>
#include <vector>

namespace vigil_bench {

/// The models of the zoo, compiled in or not, by name.
std::vector<std::string> zoo_names();

/// Why there is no model of this name here, and how to get it: the zoo has it, but this vigil-bench
/// was compiled without; the paper has it, and we have not; or nobody knows it.
/// @param name  as given, or the model that a name of the paper stands for
/// @param here  models that are compiled in
/// @param zoo   zoo_names()
std::string why_no_model(
    const std::string& name,
    const std::vector<std::string>& here,
    const std::vector<std::string>& zoo);

}  // namespace vigil_bench
