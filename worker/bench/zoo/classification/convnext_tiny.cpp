#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/layers.hpp"

// Liu et al. 2022, "A ConvNet for the 2020s", ConvNeXt-T.

namespace vigil_bench::zoo::convnext_tiny {

/// The published first value is 1e-6, which hides the branch from the check of the answer; trained
/// values are of this order.
constexpr double first_scale = 0.1;

struct ConvNextBlockImpl final : nn::Module {
    ConvNextBlockImpl(std::int64_t channels, double drop) : drop_probability(drop) {
        by_channel = register_module(
            "by_channel", conv_with_bias(channels, channels, Kernel(7, 1, channels)));
        mix = register_module(
            "mix",
            nn::Sequential(
                nn::LayerNorm(nn::LayerNormOptions({channels}).eps(1e-6)),
                nn::Linear(channels, 4 * channels),
                activation(Activation::gelu),
                nn::Linear(4 * channels, channels)));
        scale = register_parameter("scale", torch::full({channels, 1, 1}, first_scale));
    }

    Tensor forward(const Tensor& x) {
        const Tensor mixed = mix->forward(by_channel(x).permute({0, 2, 3, 1}));
        const Tensor branch = mixed.permute({0, 3, 1, 2}) * scale;
        return x + stochastic_depth(branch, drop_probability, is_training());
    }

    double drop_probability;
    nn::Conv2d by_channel = nullptr;
    nn::Sequential mix = nullptr;
    Tensor scale;
};
TORCH_MODULE(ConvNextBlock);

nn::Conv2d shrink(std::int64_t in, std::int64_t out, std::int64_t by) {
    return nn::Conv2d(nn::Conv2dOptions(in, out, by).stride(by));
}

struct ConvNext final : ImageClassifier {
    ConvNext() {
        const std::vector<std::int64_t> widths = {96, 192, 384, 768};
        const std::vector<int> counts = {3, 3, 9, 3};
        constexpr double last_block = 17;
        int block = 0;
        trunk->push_back(shrink(3, widths[0], 4));
        trunk->push_back(ChannelNorm(widths[0]));
        for (std::size_t stage = 0; stage < widths.size(); ++stage) {
            if (stage > 0) {
                trunk->push_back(ChannelNorm(widths[stage - 1]));
                trunk->push_back(shrink(widths[stage - 1], widths[stage], 2));
            }
            for (int i = 0; i < counts[stage]; ++i) {
                trunk->push_back(ConvNextBlock(widths[stage], 0.1 * block++ / last_block));
            }
        }
        register_module("trunk", trunk);
        norm =
            register_module("norm", nn::LayerNorm(nn::LayerNormOptions({widths.back()}).eps(1e-6)));
        head = register_module("head", nn::Linear(widths.back(), classes));
    }

    Tensor forward(const Tensor& pictures) override {
        return head(norm(mean_over_picture(trunk->forward(pictures))));
    }

    nn::Sequential trunk;
    nn::LayerNorm norm = nullptr;
    nn::Linear head = nullptr;
};

const Registered<ConvNext> registered(
    {"convnext_tiny",
     "classification",
     "ConvNeXt-T, 224 x 224",
     28'589'128,
     "torchvision convnext_tiny; Liu et al. 2022, Table 9 (29 M)",
     1,
     2});

}  // namespace vigil_bench::zoo::convnext_tiny
