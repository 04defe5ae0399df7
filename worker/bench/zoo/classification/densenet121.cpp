#include "worker/bench/zoo/blocks/image_classifier.hpp"

// Huang et al. 2016, "Densely connected convolutional networks", Table 1, growth rate 32.

namespace vigil_bench::zoo::densenet121 {

constexpr std::int64_t growth = 32;

/// Norm, ReLU, then the convolution.
void add_norm_conv(
    nn::Sequential& layers, std::int64_t in, std::int64_t out, const Kernel& kernel) {
    layers->push_back(nn::BatchNorm2d(in));
    layers->push_back(activation(Activation::relu));
    layers->push_back(conv(in, out, kernel));
}

/// Appends its channels to those of its input.
struct DenseLayerImpl final : nn::Module {
    explicit DenseLayerImpl(std::int64_t in) {
        add_norm_conv(layers, in, 4 * growth, Kernel(1));
        add_norm_conv(layers, 4 * growth, growth, Kernel(3));
        register_module("layers", layers);
    }

    Tensor forward(const Tensor& x) { return torch::cat({x, layers->forward(x)}, 1); }

    nn::Sequential layers;
};
TORCH_MODULE(DenseLayer);

std::shared_ptr<Network> make() {
    nn::Sequential trunk;
    std::int64_t channels = 2 * growth;
    trunk->extend(*conv_norm(3, channels, Kernel(7, 2)));
    trunk->push_back(max_pool(3, 2, 1));
    const std::vector<int> counts = {6, 12, 24, 16};
    for (std::size_t block = 0; block < counts.size(); ++block) {
        for (int i = 0; i < counts[block]; ++i) {
            trunk->push_back(DenseLayer(channels));
            channels += growth;
        }
        if (block + 1 == counts.size()) break;
        add_norm_conv(trunk, channels, channels / 2, Kernel(1));
        trunk->push_back(nn::AvgPool2d(nn::AvgPool2dOptions(2)));
        channels /= 2;
    }
    trunk->push_back(nn::BatchNorm2d(channels));
    trunk->push_back(activation(Activation::relu));
    return trunk_classifier(trunk, nn::Linear(channels, ImageClassifier::classes));
}

const Registered<Network> registered(
    {"densenet121",
     "classification",
     "DenseNet-121, 224 x 224",
     7'978'856,
     "torchvision densenet121; Huang et al. 2016, Table 1",
     1,
     4},
    &make);

}  // namespace vigil_bench::zoo::densenet121
