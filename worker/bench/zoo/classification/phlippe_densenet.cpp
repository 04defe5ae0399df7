#include "worker/bench/zoo/blocks/tiny_picture.hpp"

// The DenseNet for CIFAR-10 of the UvA deep learning notebooks, tutorial 5, as in TorchBench: four
// blocks of six layers, growth rate 16.

namespace vigil_bench::zoo::phlippe_densenet {

constexpr std::int64_t growth = 16;

/// Norm, ReLU, then the convolution.
void add_norm_conv(
    nn::Sequential& layers, std::int64_t in, std::int64_t out, const Kernel& kernel) {
    layers->push_back(nn::BatchNorm2d(in));
    layers->push_back(activation(Activation::relu));
    layers->push_back(conv(in, out, kernel));
}

/// Its channels stand before those of its input.
struct GrowingLayerImpl final : nn::Module {
    explicit GrowingLayerImpl(std::int64_t in) {
        add_norm_conv(layers, in, 2 * growth, Kernel(1));
        add_norm_conv(layers, 2 * growth, growth, Kernel(3));
        register_module("layers", layers);
    }

    Tensor forward(const Tensor& x) { return torch::cat({layers->forward(x), x}, 1); }

    nn::Sequential layers;
};
TORCH_MODULE(GrowingLayer);

std::shared_ptr<Network> make() {
    constexpr int blocks = 4;
    std::int64_t channels = 2 * growth;
    nn::Sequential trunk(conv_with_bias(3, channels, Kernel(3)));
    for (int block = 0; block < blocks; ++block) {
        for (int i = 0; i < 6; ++i) {
            trunk->push_back(GrowingLayer(channels));
            channels += growth;
        }
        if (block + 1 == blocks) break;
        add_norm_conv(trunk, channels, channels / 2, Kernel(1));
        trunk->push_back(nn::AvgPool2d(nn::AvgPool2dOptions(2)));
        channels /= 2;
    }
    trunk->push_back(nn::BatchNorm2d(channels));
    trunk->push_back(activation(Activation::relu));
    return std::make_shared<TinyPictureClassifier>(trunk, channels);
}

const Registered<Network> registered(
    {"phlippe_densenet",
     "classification",
     "DenseNet of the UvA notebooks, 32 x 32",
     239'146,
     "UvA deep learning notebooks, tutorial 5, as in TorchBench: from its sizes",
     128,
     32},
    &make);

}  // namespace vigil_bench::zoo::phlippe_densenet
