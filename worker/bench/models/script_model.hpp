#pragma once

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/models/loaded_model.hpp"

// Models that LibTorch's own compiler knows: files of TorchScript, and what it traces.

namespace vigil_bench {

/// A forward pass that was compiled. It returns the model's answer, and behind it its choices.
using Compiled = std::function<Tensors(const Tensors& inputs)>;

/// Traces, freezes and optimises the forward pass of a model in evaluation mode, whose parameters
/// need no gradient; one that is a script already is frozen and optimised.
/// @throws UnsupportedError when it cannot be traced
Compiled compile_with_jit(LoadedModel& model, const Tensors& inputs);

/// The model of a TorchScript file.
/// @param inputs  not empty; a batch takes the place of the first size of each
/// @param device  it is loaded to, with the constants that its scripts hold
/// @throws BadFileError when it is none, or has no forward; UsageError when forward takes another
///         number of inputs
ModelMaker script_model_maker(
    const std::string& path, const std::vector<InputShape>& inputs, c10::Device device);

}  // namespace vigil_bench
