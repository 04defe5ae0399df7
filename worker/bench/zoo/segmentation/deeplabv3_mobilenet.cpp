#include "worker/bench/zoo/blocks/mobile_block.hpp"

// Chen et al. 2017, "Rethinking atrous convolution", DeepLabV3 on MobileNetV3-Large as torchvision
// has it, with the auxiliary classifier, on 21 classes.

namespace vigil_bench::zoo::deeplabv3_mobilenet {

constexpr std::int64_t side = 480;
constexpr std::int64_t classes = 21;
constexpr std::int64_t width = 256;
constexpr std::size_t stem_modules = 3;              ///< convolution, norm, activation
constexpr std::size_t auxiliary = stem_modules + 3;  ///< the fourth block, of 40 channels

struct Maps {
    Tensor main;
    Tensor auxiliary;
};

struct DeepLab final : Network {
    DeepLab() {
        pyramid->push_back(conv_norm(960, width, Kernel(1)));
        for (const std::int64_t rate : {12, 24, 36}) {
            pyramid->push_back(conv_norm(960, width, Kernel(3).dilated(rate)));
        }
        pyramid->push_back(conv_norm(960, width, Kernel(1)));
        register_module("pyramid", pyramid);
        head = register_module("head", conv_norm(5 * width, width, Kernel(1)));
        head->push_back(nn::Dropout(0.5));
        head->extend(*conv_norm(width, width, Kernel(3)));
        head->push_back(conv_with_bias(width, classes, Kernel(1)));
        auxiliary_head = register_module("auxiliary_head", conv_norm(40, 10, Kernel(3)));
        auxiliary_head->push_back(nn::Dropout(0.1));
        auxiliary_head->push_back(conv_with_bias(10, classes, Kernel(1)));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randn({batch, 3, side, side}),
            torch::randint(classes, {batch, side, side}, torch::kLong)};
    }

    static Tensor enlarge(const Tensor& map, std::int64_t height, std::int64_t columns) {
        return torch::upsample_bilinear2d(map, {height, columns}, false);
    }

    Maps forward(const Tensor& pictures) {
        Tensor x = pictures;
        Tensor early;
        std::size_t index = 0;
        for (auto& layer : *trunk) {
            x = layer.forward<Tensor>(x);
            if (index++ == auxiliary) early = x;
        }
        Tensors scales;
        for (std::size_t i = 0; i < pyramid->size(); ++i) {
            const bool last = i + 1 == pyramid->size();
            const Tensor seen = last ? torch::adaptive_avg_pool2d(x, {1, 1}) : x;
            const Tensor map = pyramid[i]->as<nn::Sequential>()->forward(seen);
            scales.push_back(last ? enlarge(map, x.size(2), x.size(3)) : map);
        }
        return {
            enlarge(head->forward(torch::cat(scales, 1)), side, side),
            enlarge(auxiliary_head->forward(early), side, side)};
    }

    Tensors answer(const Tensors& inputs) override {
        const Maps maps = forward(inputs[0]);
        return {maps.main, maps.auxiliary};
    }

    Tensor loss(const Tensors& inputs) override {
        const Maps maps = forward(inputs[0]);
        return torch::cross_entropy_loss(maps.main, inputs[1]) +
               0.5 * torch::cross_entropy_loss(maps.auxiliary, inputs[1]);
    }

    nn::Sequential trunk = register_module("trunk", mobilenet_v3_large_trunk(1));
    nn::ModuleList pyramid;
    nn::Sequential head = nullptr;
    nn::Sequential auxiliary_head = nullptr;
};

const Registered<DeepLab> registered(
    {"deeplabv3_mobilenet",
     "segmentation",
     "DeepLabV3 on MobileNetV3-Large, 480 x 480",
     11'029'328,
     "torchvision deeplabv3_mobilenet_v3_large with its auxiliary classifier",
     1,
     2});

}  // namespace vigil_bench::zoo::deeplabv3_mobilenet
