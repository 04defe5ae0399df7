#pragma once

#include <string>
#include <vector>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/models/loaded_model.hpp"

// What the models of files have in common.

namespace vigil_bench {

/// Tensors of these shapes with the batch in the place of the first size, from LibTorch's default
/// generator.
Tensors random_inputs(const std::vector<InputShape>& shapes, std::int64_t batch);

/// @throws BadFileError when the path is no regular file
void check_model_file(const std::string& path);

/// "model file 'PATH' WHY". @throws BadFileError always
[[noreturn]] void refuse_model_file(const std::string& path, const std::string& why);

}  // namespace vigil_bench
