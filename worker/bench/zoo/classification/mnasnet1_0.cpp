#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/mobile_block.hpp"

// Tan et al. 2018, "MnasNet: platform-aware neural architecture search", MnasNet-B1.

namespace vigil_bench::zoo::mnasnet1_0 {

namespace {

struct Stage {
    std::int64_t out, size, stride, expansion, count;
};

struct MnasNet final : ImageClassifier {
    MnasNet() {
        const std::vector<Stage> stages = {
            {24, 3, 2, 3, 3},
            {40, 5, 2, 3, 3},
            {80, 5, 2, 6, 3},
            {96, 3, 1, 6, 2},
            {192, 5, 2, 6, 4},
            {320, 3, 1, 6, 1}};
        trunk->extend(*conv_norm(3, 32, Kernel(3, 2)));
        trunk->extend(*conv_norm(32, 32, Kernel(3, 1, 32)));
        trunk->extend(*conv_norm(32, 16, Kernel(1), Activation::none));
        std::int64_t in = 16;
        for (const auto& stage : stages) {
            for (std::int64_t i = 0; i < stage.count; ++i) {
                MobileShape shape;
                shape.in = in;
                shape.expanded = in * stage.expansion;
                shape.out = stage.out;
                shape.kernel = Kernel(stage.size, i == 0 ? stage.stride : 1);
                shape.kind = Activation::relu;
                trunk->push_back(MobileBlock(shape));
                in = stage.out;
            }
        }
        trunk->extend(*conv_norm(in, 1280, Kernel(1)));
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
    {"mnasnet1_0", "classification", "MnasNet-B1, 224 x 224", 4'383'312, 4, 4, &make<MnasNet>}};

}  // namespace

}  // namespace vigil_bench::zoo::mnasnet1_0
