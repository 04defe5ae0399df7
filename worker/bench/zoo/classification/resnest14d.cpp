#include <algorithm>

#include "worker/bench/zoo/blocks/image_classifier.hpp"

// Zhang et al. 2020, "ResNeSt: split-attention networks", timm's of 14 layers: a stem of three
// convolutions, two splits, pooling where others stride.

namespace vigil_bench::zoo::resnest14d {

constexpr std::int64_t splits = 2;

nn::AvgPool2d mean_pool(std::int64_t size, std::int64_t stride, std::int64_t padding) {
    return nn::AvgPool2d(nn::AvgPool2dOptions(size).stride(stride).padding(padding));
}

/// Convolves twice over, and mixes the two by weights that their sum's mean gives.
struct SplitAttentionImpl final : nn::Module {
    explicit SplitAttentionImpl(std::int64_t channels) {
        const std::int64_t squeezed = std::max<std::int64_t>(32, channels * splits / 4);
        convs =
            register_module("convs", conv_norm(channels, splits * channels, Kernel(3, 1, splits)));
        squeeze = register_module("squeeze", conv_with_bias(channels, squeezed, Kernel(1)));
        squeeze_norm = register_module("squeeze_norm", nn::BatchNorm2d(squeezed));
        weigh = register_module("weigh", conv_with_bias(squeezed, splits * channels, Kernel(1)));
    }

    Tensor forward(const Tensor& x) {
        const Tensor both = convs->forward(x);
        const Tensor made = both.view({x.size(0), splits, x.size(1), both.size(2), both.size(3)});
        const Tensor mean = made.sum(1).mean({2, 3}, true);
        const Tensor scores = weigh(squeeze_norm(squeeze(mean)).relu_());
        const Tensor weights = scores.view({x.size(0), splits, x.size(1), 1, 1}).softmax(1);
        return (made * weights).sum(1);
    }

    nn::Sequential convs = nullptr;
    nn::Conv2d squeeze = nullptr;
    nn::BatchNorm2d squeeze_norm = nullptr;
    nn::Conv2d weigh = nullptr;
};
TORCH_MODULE(SplitAttention);

struct SplitBlockImpl final : nn::Module {
    SplitBlockImpl(std::int64_t in, std::int64_t planes, std::int64_t stride) {
        branch->extend(*conv_norm(in, planes, Kernel(1)));
        branch->push_back(SplitAttention(planes));
        if (stride > 1) branch->push_back(mean_pool(3, stride, 1));
        branch->extend(*conv_norm(planes, 4 * planes, Kernel(1), Activation::none));
        register_module("branch", branch);
        if (stride > 1) shortcut->push_back(mean_pool(2, stride, 0));
        shortcut->extend(*conv_norm(in, 4 * planes, Kernel(1), Activation::none));
        register_module("shortcut", shortcut);
    }

    Tensor forward(const Tensor& x) { return (branch->forward(x) + shortcut->forward(x)).relu_(); }

    nn::Sequential branch;
    nn::Sequential shortcut;
};
TORCH_MODULE(SplitBlock);

std::shared_ptr<Network> make() {
    nn::Sequential trunk;
    trunk->extend(*conv_norm(3, 32, Kernel(3, 2)));
    trunk->extend(*conv_norm(32, 32, Kernel(3)));
    trunk->extend(*conv_norm(32, 64, Kernel(3)));
    trunk->push_back(max_pool(3, 2, 1));
    std::int64_t in = 64;
    for (const std::int64_t planes : {64, 128, 256, 512}) {
        trunk->push_back(SplitBlock(in, planes, planes == 64 ? 1 : 2));
        in = 4 * planes;
    }
    return trunk_classifier(trunk, nn::Linear(in, ImageClassifier::classes));
}

const Registered<Network> registered(
    {"resnest14d",
     "classification",
     "ResNeSt-14d, 224 x 224",
     10'611'688,
     "timm resnest14d, 10.61 M; Zhang et al. 2020",
     1,
     4},
    &make);

}  // namespace vigil_bench::zoo::resnest14d
