#pragma once

#include "worker/bench/zoo/network.hpp"

// Radford et al. 2019, "Language models are unsupervised multitask learners".

namespace vigil_bench::zoo {

struct Gpt2Shape {
    std::int64_t width = 768;
    std::int64_t heads = 12;
    int layer_count = 12;
    std::int64_t tokens = 128;  ///< of each text
};

std::shared_ptr<Network> make_gpt2(const Gpt2Shape& shape);

}  // namespace vigil_bench::zoo
