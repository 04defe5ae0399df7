#pragma once

#include <torch/csrc/jit/api/module.h>

#include "worker/bench/models/loaded_model.hpp"

namespace vigil_bench {

/// The script of a model that was loaded from a file; null for any other.
const torch::jit::Module* find_script(const LoadedModel& model);

/// All tensors in a value of tuples, lists and dictionaries, in their order.
Tensors tensors_of(const c10::IValue& value);

}  // namespace vigil_bench
