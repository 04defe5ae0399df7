#include "worker/bench/zoo/blocks/mobile_block.hpp"

// Tan et al. 2018, "MnasNet: platform-aware neural architecture search", MnasNet-B1.

namespace vigil_bench::zoo::mnasnet1_0 {

std::shared_ptr<Network> make() {
    const std::vector<MobileStage> stages = {
        {3, 3, 2, 24, 3},
        {3, 5, 2, 40, 3},
        {6, 5, 2, 80, 3},
        {6, 3, 1, 96, 2},
        {6, 5, 2, 192, 4},
        {6, 3, 1, 320, 1}};
    nn::Sequential stem;
    stem->extend(*conv_norm(3, 32, Kernel(3, 2)));
    stem->extend(*conv_norm(32, 32, Kernel(3, 1, 32)));
    stem->extend(*conv_norm(32, 16, Kernel(1), Activation::none));
    return make_mobile_classifier(stem, 16, stages, Activation::relu);
}

const Registered<Network> registered(
    {"mnasnet1_0",
     "classification",
     "MnasNet-B1, 224 x 224",
     4'383'312,
     "torchvision mnasnet1_0; Tan et al. 2018, Table 1 (B1, 4.4 M)",
     4,
     4},
    &make);

}  // namespace vigil_bench::zoo::mnasnet1_0
