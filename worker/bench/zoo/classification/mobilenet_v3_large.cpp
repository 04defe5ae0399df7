#include "worker/bench/zoo/blocks/mobile_block.hpp"

// Howard et al. 2019, "Searching for MobileNetV3", Table 1.

namespace vigil_bench::zoo::mobilenet_v3_large {

std::shared_ptr<Network> make() {
    const auto trunk = mobilenet_v3_large_trunk(2);
    return trunk_classifier(
        trunk,
        nn::Sequential(
            nn::Linear(960, 1280),
            activation(Activation::hardswish),
            nn::Dropout(0.2),
            nn::Linear(1280, ImageClassifier::classes)));
}

const Registered<Network> registered(
    {"mobilenet_v3_large",
     "classification",
     "MobileNetV3-Large, 224 x 224",
     5'483'032,
     "torchvision mobilenet_v3_large; Howard et al. 2019, Table 3 (5.4 M)",
     4,
     4},
    &make);

}  // namespace vigil_bench::zoo::mobilenet_v3_large
