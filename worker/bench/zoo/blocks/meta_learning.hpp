#pragma once

#include <functional>

#include "worker/bench/zoo/network.hpp"

// Finn et al. 2017, "Model-agnostic meta-learning": a network with other weights than its own.

namespace vigil_bench::zoo {

/// The weights after one step down the gradient of a loss.
/// @param differentiable  whether the step itself can be differentiated
Tensors stepped(
    const Tensors& weights,
    double rate,
    bool differentiable,
    const std::function<Tensor(const Tensors&)>& loss);

/// Pictures and classes to learn from, pictures and classes to be asked, of so many tasks; 28 x 28.
Tensors omniglot_tasks(
    std::int64_t tasks, std::int64_t ways, std::int64_t shown, std::int64_t asked);

}  // namespace vigil_bench::zoo
