#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/autograd/autograd.h>
#include <torch/nn.h>

#include "worker/bench/models/agreement.hpp"

// What every model of the zoo is: a torch::nn module that makes its own inputs, and its entry.

namespace vigil_bench::zoo {

namespace nn = torch::nn;
using torch::Tensor;

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
};

struct NetworkEntry {
    std::string name;
    std::string domain;
    std::string description;
    std::int64_t parameters = 0;   ///< as published
    std::int64_t infer_batch = 1;  ///< default batches
    std::int64_t train_batch = 0;  ///< 0: there is nothing to train
    std::shared_ptr<Network> (*make)() = nullptr;
};

/// Adds its entry to the zoo: one static object in each model's file.
class Registered {
  public:
    explicit Registered(NetworkEntry entry);
};

/// By domain, then by name.
std::vector<NetworkEntry> entries();

template <typename Model>
std::shared_ptr<Network> make() {
    return std::make_shared<Model>();
}

}  // namespace vigil_bench::zoo
