#include "worker/bench/zoo/blocks/mobile_block.hpp"

// Tan and Le 2019, "EfficientNet: rethinking model scaling", Table 1.

namespace vigil_bench::zoo::efficientnet_b0 {

std::shared_ptr<Network> make() {
    const std::vector<MobileStage> stages = {
        {1, 3, 1, 16, 1},
        {6, 3, 2, 24, 2},
        {6, 5, 2, 40, 2},
        {6, 3, 2, 80, 3},
        {6, 5, 1, 112, 3},
        {6, 5, 2, 192, 4},
        {6, 3, 1, 320, 1}};
    constexpr auto silu = Activation::silu;
    constexpr double blocks = 16;
    int block = 0;
    const auto refine = [&](MobileShape& shape) {
        shape.squeezed = shape.in / 4;
        shape.gate = silu;
        shape.drop_probability = 0.2 * block++ / blocks;
    };
    return make_mobile_classifier(conv_norm(3, 32, Kernel(3, 2), silu), 32, stages, silu, refine);
}

const Registered<Network> registered(
    {"efficientnet_b0",
     "classification",
     "EfficientNet-B0, 224 x 224",
     5'288'548,
     "torchvision efficientnet_b0; Tan and Le 2019, Table 2 (5.3 M)",
     4,
     4},
    &make);

}  // namespace vigil_bench::zoo::efficientnet_b0
