#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/layers.hpp"

// Krizhevsky 2014, "One weird trick for parallelizing convolutional neural networks".

namespace vigil_bench::zoo::alexnet {

/// Convolution with a padding of its own, then ReLU.
void add_conv(
    nn::Sequential& layers,
    std::int64_t in,
    std::int64_t out,
    std::int64_t size,
    std::int64_t stride,
    std::int64_t padding) {
    layers->push_back(nn::Conv2d(nn::Conv2dOptions(in, out, size).stride(stride).padding(padding)));
    layers->push_back(activation(Activation::relu));
}

struct AlexNet final : ImageClassifier {
    AlexNet() {
        add_conv(features, 3, 64, 11, 4, 2);
        features->push_back(max_pool(3, 2));
        add_conv(features, 64, 192, 5, 1, 2);
        features->push_back(max_pool(3, 2));
        add_conv(features, 192, 384, 3, 1, 1);
        add_conv(features, 384, 256, 3, 1, 1);
        add_conv(features, 256, 256, 3, 1, 1);
        features->push_back(max_pool(3, 2));
        head = nn::Sequential(
            nn::Flatten(),
            nn::Dropout(),
            nn::Linear(256 * 6 * 6, 4096),
            activation(Activation::relu),
            nn::Dropout(),
            nn::Linear(4096, 4096),
            activation(Activation::relu),
            nn::Linear(4096, classes));
        register_module("features", features);
        register_module("head", head);
    }

    Tensor forward(const Tensor& pictures) override {
        return head->forward(features->forward(pictures));
    }

    nn::Sequential features;
    nn::Sequential head = nullptr;
};

const Registered<AlexNet> registered(
    {"alexnet",
     "classification",
     "AlexNet, 224 x 224",
     61'100'840,
     "torchvision alexnet; Krizhevsky 2014",
     4,
     4});

}  // namespace vigil_bench::zoo::alexnet
