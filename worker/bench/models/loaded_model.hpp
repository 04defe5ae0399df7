#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "worker/bench/models/agreement.hpp"

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
    virtual std::vector<NamedTensor> named_buffers() const { return {}; }

    /// Turns its floating-point weights into this type, in place: never two copies of them all.
    virtual void convert(at::ScalarType type) = 0;

    /// Moves its weights, in place.
    virtual void move_to(c10::Device device) = 0;

    /// Remembers what calls change beside the weights (running means, counters).
    /// @return  puts it back, in whatever type the model is by then
    virtual std::function<void()> remember_state() {
        return [] {};
    }

    /// What the last pass chose among alternatives that are as good; see zoo/choices.hpp.
    virtual Tensors choices() const { return {}; }

    /// The next pass takes these over wherever they are as good as its own.
    virtual void hand_over(Tensors) {}

    /// Whether it can be computed in float64 too; a script may hold constants of another type.
    virtual Reference reference() const { return Reference::sure; }
};

/// Makes the model with random weights from LibTorch's default generator.
using ModelMaker = std::function<std::unique_ptr<LoadedModel>()>;

}  // namespace vigil_bench
