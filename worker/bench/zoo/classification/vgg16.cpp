#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/layers.hpp"

// Simonyan and Zisserman 2014, "Very deep convolutional networks", configuration D.

namespace vigil_bench::zoo::vgg16 {

struct Vgg16 final : ImageClassifier {
    Vgg16() {
        const std::vector<std::vector<std::int64_t>> stages = {
            {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
        std::int64_t in = 3;
        for (const auto& stage : stages) {
            for (const auto out : stage) {
                features->push_back(conv_with_bias(in, out, Kernel(3)));
                features->push_back(activation(Activation::relu));
                in = out;
            }
            features->push_back(max_pool(2, 2));
        }
        head = nn::Sequential(
            nn::Flatten(),
            nn::Linear(512 * 7 * 7, 4096),
            activation(Activation::relu),
            nn::Dropout(),
            nn::Linear(4096, 4096),
            activation(Activation::relu),
            nn::Dropout(),
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

const Registered<Vgg16> registered(
    {"vgg16",
     "classification",
     "VGG-16, 224 x 224",
     138'357'544,
     "torchvision vgg16; Simonyan and Zisserman 2014, Table 2 (138 M)",
     1,
     2});

}  // namespace vigil_bench::zoo::vgg16
