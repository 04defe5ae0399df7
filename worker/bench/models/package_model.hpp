#pragma once

#include <string>
#include <vector>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/models/loaded_model.hpp"

namespace vigil_bench {

/// Why packages cannot be run by this LibTorch; empty: they can.
std::string why_no_packages();

/// The model of a package: code that was compiled for one device, with its weights.
/// @param inputs  not empty; a batch takes the place of the first size of each
/// @throws BadFileError when it is none
ModelMaker package_model_maker(const std::string& path, const std::vector<InputShape>& inputs);

}  // namespace vigil_bench
