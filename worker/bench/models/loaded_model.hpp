#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/models/agreement.hpp"
#include "worker/bench/models/subject.hpp"

namespace vigil_bench {

enum class Reference { sure, maybe, none };

/// A model with its weights, whatever it is written in: what precisions and backends work on.
class LoadedModel {
  public:
    virtual ~LoadedModel() = default;

    /// One batch of random inputs from LibTorch's default generator.
    virtual Tensors make_inputs(std::int64_t batch) const = 0;

    /// Forward pass.
    virtual Tensors answer(const Tensors& inputs) = 0;

    /// Forward pass to the one number that training differentiates.
    virtual at::Tensor loss(const Tensors& inputs) = 0;

    virtual void set_training(bool is_training) = 0;
    virtual std::vector<NamedTensor> named_parameters() const = 0;

    /// Turns its floating-point weights into this type, in place: never two copies of them all.
    virtual void convert(at::ScalarType type) = 0;

    /// Moves its weights, in place.
    virtual void move_to(c10::Device device) = 0;

    /// Whether it can be computed in float64 too; a script may hold constants of another type.
    virtual Reference reference() const { return Reference::sure; }
};

/// Makes the model with random weights from LibTorch's default generator.
using ModelMaker = std::function<std::unique_ptr<LoadedModel>()>;

/// A forward pass that was compiled.
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

/// The model as what is measured, in the arguments' mode, precision and backend.
/// @param batch  > 0
std::unique_ptr<Subject> make_loaded_subject(
    const ModelMaker& make, std::int64_t batch, const Arguments& arguments);

}  // namespace vigil_bench
