#pragma once

#include "worker/bench/zoo/blocks/layers.hpp"

namespace vigil_bench::zoo {

/// Linear layers of these widths with the activation between them, none behind the last.
nn::Sequential perceptron(
    const std::vector<std::int64_t>& widths, Activation kind = Activation::relu);

}  // namespace vigil_bench::zoo
