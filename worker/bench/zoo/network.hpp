#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/autograd/autograd.h>
#include <torch/nn.h>

#include "worker/bench/models/agreement.hpp"
#include "worker/bench/models/zoo.hpp"

// What every model of the zoo is: a torch::nn module that makes its own inputs, and its entry.

namespace vigil_bench::zoo {

namespace nn = torch::nn;
using torch::Tensor;

class Choices;

/// A model with weights. Called in eval mode without autograd (answer) or in train mode with it
/// (loss); in float32, and in float64 for the reference, so a new tensor takes its type from an
/// input or a weight. Whatever is random comes from LibTorch's default generator.
class Network : public nn::Module {
  public:
    /// One batch of the published shapes: what `answer` reads, then what only `loss` reads.
    virtual Tensors make_inputs(std::int64_t batch) const = 0;

    /// Forward pass.
    virtual Tensors answer(const Tensors& inputs) = 0;

    /// Forward pass to the one number that training differentiates.
    virtual Tensor loss(const Tensors& inputs) = 0;

    /// What its answer chooses among alternatives that are as good; null: it chooses nothing.
    virtual Choices* choices_of_answer() { return nullptr; }
};

/// A list of so many layers.
/// @param make  one of them, by its number from 0
template <typename Make>
nn::ModuleList list_of(int count, const Make& make) {
    nn::ModuleList layers;
    for (int i = 0; i < count; ++i) layers->push_back(make(i));
    return layers;
}

using NetworkMaker = std::shared_ptr<Network> (*)();

struct NetworkEntry : ZooModel {
    NetworkMaker make = nullptr;
};

/// All of the zoo, in no order.
std::vector<NetworkEntry>& entries();

/// Adds a model to the zoo: one static object in each model's file.
template <typename Model>
struct Registered {
    /// @param make  for a model that is not Model()
    explicit Registered(
        ZooModel model, NetworkMaker make = []() -> std::shared_ptr<Network> {
            return std::make_shared<Model>();
        }) {
        entries().push_back({std::move(model), make});
    }
};

}  // namespace vigil_bench::zoo
