#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/mobile_block.hpp"

// Tan and Le 2019, "EfficientNet: rethinking model scaling", Table 1.

namespace vigil_bench::zoo::efficientnet_b0 {

namespace {

struct Stage {
    std::int64_t expansion, size, stride, out, count;
};

struct EfficientNet final : ImageClassifier {
    EfficientNet() {
        const std::vector<Stage> stages = {
            {1, 3, 1, 16, 1},
            {6, 3, 2, 24, 2},
            {6, 5, 2, 40, 2},
            {6, 3, 2, 80, 3},
            {6, 5, 1, 112, 3},
            {6, 5, 2, 192, 4},
            {6, 3, 1, 320, 1}};
        constexpr double blocks = 16;
        std::int64_t in = 32;
        trunk->extend(*conv_norm(3, in, Kernel(3, 2), Activation::silu));
        int block = 0;
        for (const auto& stage : stages) {
            for (std::int64_t i = 0; i < stage.count; ++i) {
                MobileShape shape;
                shape.in = in;
                shape.expanded = in * stage.expansion;
                shape.out = stage.out;
                shape.kernel = Kernel(stage.size, i == 0 ? stage.stride : 1);
                shape.kind = Activation::silu;
                shape.squeezed = in / 4;
                shape.gate = Activation::silu;
                shape.drop_probability = 0.2 * block++ / blocks;
                trunk->push_back(MobileBlock(shape));
                in = stage.out;
            }
        }
        trunk->extend(*conv_norm(in, 1280, Kernel(1), Activation::silu));
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
    {"efficientnet_b0",
     "classification",
     "EfficientNet-B0, 224 x 224",
     5'288'548,
     4,
     4,
     &make<EfficientNet>}};

}  // namespace

}  // namespace vigil_bench::zoo::efficientnet_b0
