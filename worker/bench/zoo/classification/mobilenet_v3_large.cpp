#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/mobile_block.hpp"

// Howard et al. 2019, "Searching for MobileNetV3", Table 1.

namespace vigil_bench::zoo::mobilenet_v3_large {

namespace {

struct MobileNetV3 final : ImageClassifier {
    MobileNetV3() {
        trunk = register_module("trunk", mobilenet_v3_large_trunk(2));
        head = register_module(
            "head",
            nn::Sequential(
                nn::Linear(960, 1280),
                activation(Activation::hardswish),
                nn::Dropout(0.2),
                nn::Linear(1280, classes)));
    }

    Tensor forward(const Tensor& pictures) override {
        return head->forward(mean_over_picture(trunk->forward(pictures)));
    }

    nn::Sequential trunk = nullptr;
    nn::Sequential head = nullptr;
};

const Registered registered{
    {"mobilenet_v3_large",
     "classification",
     "MobileNetV3-Large, 224 x 224",
     5'483'032,
     4,
     4,
     &make<MobileNetV3>}};

}  // namespace

}  // namespace vigil_bench::zoo::mobilenet_v3_large
