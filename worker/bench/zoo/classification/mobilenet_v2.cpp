#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/mobile_block.hpp"

// Sandler et al. 2018, "MobileNetV2: inverted residuals and linear bottlenecks", Table 2.

namespace vigil_bench::zoo::mobilenet_v2 {

namespace {

struct Stage {
    std::int64_t expansion, out, count, stride;
};

struct MobileNetV2 final : ImageClassifier {
    MobileNetV2() {
        const std::vector<Stage> stages = {
            {1, 16, 1, 1},
            {6, 24, 2, 2},
            {6, 32, 3, 2},
            {6, 64, 4, 2},
            {6, 96, 3, 1},
            {6, 160, 3, 2},
            {6, 320, 1, 1}};
        std::int64_t in = 32;
        trunk->extend(*conv_norm(3, in, Kernel(3, 2), Activation::relu6));
        for (const auto& stage : stages) {
            for (std::int64_t i = 0; i < stage.count; ++i) {
                MobileShape shape;
                shape.in = in;
                shape.expanded = in * stage.expansion;
                shape.out = stage.out;
                shape.kernel = Kernel(3, i == 0 ? stage.stride : 1);
                trunk->push_back(MobileBlock(shape));
                in = stage.out;
            }
        }
        trunk->extend(*conv_norm(in, 1280, Kernel(1), Activation::relu6));
        register_module("trunk", trunk);
        head = register_module("head", nn::Sequential(nn::Dropout(0.2), nn::Linear(1280, classes)));
    }

    Tensor forward(const Tensor& pictures) override {
        return head->forward(mean_over_picture(trunk->forward(pictures)));
    }

    nn::Sequential trunk;
    nn::Sequential head = nullptr;
};

const Registered registered{
    {"mobilenet_v2",
     "classification",
     "MobileNetV2, 224 x 224",
     3'504'872,
     4,
     4,
     &make<MobileNetV2>}};

}  // namespace

}  // namespace vigil_bench::zoo::mobilenet_v2
