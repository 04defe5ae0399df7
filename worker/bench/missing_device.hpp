#pragma once

#include <string>

#include "worker/bench/arguments/arguments.hpp"

namespace vigil_bench {

/// Why the device is not there, told apart: a LibTorch without CUDA, no GPU, too few; empty when it
/// is. Asks LibTorch in a child, so it may come before a fork.
std::string find_missing_device(const Arguments& arguments);

}  // namespace vigil_bench
