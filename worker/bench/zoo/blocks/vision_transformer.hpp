#pragma once

#include "worker/bench/zoo/blocks/image_classifier.hpp"

// Dosovitskiy et al. 2020, "An image is worth 16x16 words".

namespace vigil_bench::zoo {

struct VisionShape {
    std::int64_t width = 768;
    std::int64_t patch = 16;  ///< points of a picture's side
    int layer_count = 12;
    std::int64_t heads = 12;
    std::int64_t hidden = 3072;
};

std::shared_ptr<Network> make_vision_transformer(const VisionShape& shape);

}  // namespace vigil_bench::zoo
