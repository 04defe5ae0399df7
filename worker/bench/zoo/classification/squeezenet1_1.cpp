#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/layers.hpp"

// Iandola et al. 2016, "SqueezeNet", in the version 1.1 of its authors' repository.

namespace vigil_bench::zoo::squeezenet1_1 {

/// Squeezes to few channels, expands by 1 x 1 and by 3 x 3 convolutions side by side.
struct FireImpl final : nn::Module {
    FireImpl(std::int64_t in, std::int64_t squeezed, std::int64_t expanded) {
        squeeze = register_module("squeeze", conv_with_bias(in, squeezed, Kernel(1)));
        expand1 = register_module("expand1", conv_with_bias(squeezed, expanded, Kernel(1)));
        expand3 = register_module("expand3", conv_with_bias(squeezed, expanded, Kernel(3)));
    }

    Tensor forward(const Tensor& x) {
        const Tensor y = squeeze(x).relu_();
        return torch::cat({expand1(y).relu_(), expand3(y).relu_()}, 1);
    }

    nn::Conv2d squeeze = nullptr;
    nn::Conv2d expand1 = nullptr;
    nn::Conv2d expand3 = nullptr;
};
TORCH_MODULE(Fire);

nn::MaxPool2d pool() {
    return nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).ceil_mode(true));
}

struct SqueezeNet final : ImageClassifier {
    Tensor forward(const Tensor& pictures) override {
        return mean_over_picture(layers->forward(pictures));
    }

    nn::Sequential layers = register_module(
        "layers",
        nn::Sequential(
            nn::Conv2d(nn::Conv2dOptions(3, 64, 3).stride(2)),
            activation(Activation::relu),
            pool(),
            Fire(64, 16, 64),
            Fire(128, 16, 64),
            pool(),
            Fire(128, 32, 128),
            Fire(256, 32, 128),
            pool(),
            Fire(256, 48, 192),
            Fire(384, 48, 192),
            Fire(384, 64, 256),
            Fire(512, 64, 256),
            nn::Dropout(),
            conv_with_bias(512, classes, Kernel(1)),
            activation(Activation::relu)));
};

const Registered<SqueezeNet> registered(
    {"squeezenet1_1",
     "classification",
     "SqueezeNet 1.1, 224 x 224",
     1'235'496,
     "torchvision squeezenet1_1; Iandola et al. 2016 (1.24 M)",
     4,
     4});

}  // namespace vigil_bench::zoo::squeezenet1_1
