#include "worker/bench/zoo/blocks/mobile_block.hpp"

// Sandler et al. 2018, "MobileNetV2: inverted residuals and linear bottlenecks", Table 2.

namespace vigil_bench::zoo::mobilenet_v2 {

std::shared_ptr<Network> make() {
    const std::vector<MobileStage> stages = {
        {1, 3, 1, 16, 1},
        {6, 3, 2, 24, 2},
        {6, 3, 2, 32, 3},
        {6, 3, 2, 64, 4},
        {6, 3, 1, 96, 3},
        {6, 3, 2, 160, 3},
        {6, 3, 1, 320, 1}};
    constexpr auto relu6 = Activation::relu6;
    return make_mobile_classifier(conv_norm(3, 32, Kernel(3, 2), relu6), 32, stages, relu6);
}

const Registered<Network> registered(
    {"mobilenet_v2",
     "classification",
     "MobileNetV2, 224 x 224",
     3'504'872,
     "torchvision mobilenet_v2; Sandler et al. 2018, Table 4 (3.4 M)",
     4,
     4},
    &make);

}  // namespace vigil_bench::zoo::mobilenet_v2
