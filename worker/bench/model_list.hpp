#pragma once

#include <string>

#include "worker/bench/arguments.hpp"

// What --list says.

namespace vigil_bench {

/// Every model with its domain, number of parameters and default batches. As text: one a line, with
/// the published numbers. As JSON: one object, with the parameters counted in the model itself,
/// which builds them all, one after the other.
std::string model_list(ListFormat format);

}  // namespace vigil_bench
