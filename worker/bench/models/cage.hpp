#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/models/loaded_model.hpp"
#include "worker/bench/models/named_memory.hpp"

namespace vigil_bench {

/// What weights and inputs are turned into.
at::ScalarType weight_type(Precision precision);

/// What most is computed in. TF32 has the mantissa of float16.
at::ScalarType computing_type(Precision precision);

/// A model with a batch of inputs; equal seeds give equal weights and inputs on every device, since
/// both are made on the CPU.
class Cage {
  public:
    Cage(const ModelMaker& make, std::int64_t batch, const Arguments& arguments);

    /// Another batch of inputs, from LibTorch's default generator, in the weights' type and layout.
    Tensors more_inputs(std::int64_t batch, Precision precision) const;

    /// For the reference. @return why there is none; empty: it is float64
    std::string to_reference(const std::function<void()>& try_it);

    /// What `compute` makes of weights and inputs that are each off by up to `ratio` of themselves.
    /// Afterwards they are the old ones.
    std::vector<NamedTensor> rounded(
        double ratio, std::uint64_t seed, const std::function<std::vector<NamedTensor>()>& compute);

    /// Where the model's parameters and buffers lie.
    std::vector<NamedMemory> named_memory() const;

    /// How far the device's random numbers have been drawn.
    at::Tensor random_state() const;

    c10::Device device;
    std::unique_ptr<LoadedModel> model;
    Tensors inputs;

  private:
    void to(at::ScalarType type);
    void lay_channels_last();

    Layout layout_;
};

}  // namespace vigil_bench
