#pragma once

#include "worker/bench/zoo/network.hpp"

// Raffel et al. 2019, "Exploring the limits of transfer learning", T5: no biases, norms without
// mean, and a learned bias for each distance of two tokens.

namespace vigil_bench::zoo {

struct T5Shape {
    std::int64_t width;  ///< the feed-forward part is four times as wide
    std::int64_t heads;
    int layer_count;  ///< of the encoder, and as many of the decoder
    std::int64_t tokens;
};

std::shared_ptr<Network> make_t5(const T5Shape& shape);

}  // namespace vigil_bench::zoo
