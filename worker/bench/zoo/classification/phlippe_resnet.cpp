#include "worker/bench/zoo/blocks/tiny_picture.hpp"

// The ResNet for CIFAR-10 of the UvA deep learning notebooks, tutorial 5, as in TorchBench: three
// groups of three blocks; a shortcut that changes the shape has a bias and no norm.

namespace vigil_bench::zoo::phlippe_resnet {

struct TinyBlockImpl final : nn::Module {
    TinyBlockImpl(std::int64_t in, std::int64_t out) {
        const std::int64_t stride = in == out ? 1 : 2;
        branch->extend(*conv_norm(in, out, Kernel(3, stride)));
        branch->extend(*conv_norm(out, out, Kernel(3), Activation::none));
        register_module("branch", branch);
        if (in == out) return;
        shortcut = register_module("shortcut", conv_with_bias(in, out, Kernel(1, stride)));
    }

    Tensor forward(const Tensor& x) {
        return (branch->forward(x) + (shortcut ? shortcut(x) : x)).relu_();
    }

    nn::Sequential branch;
    nn::Conv2d shortcut = nullptr;
};
TORCH_MODULE(TinyBlock);

std::shared_ptr<Network> make() {
    std::int64_t in = 16;
    nn::Sequential trunk;
    trunk->extend(*conv_norm(3, in, Kernel(3)));
    for (const std::int64_t out : {16, 32, 64}) {
        for (int i = 0; i < 3; ++i) {
            trunk->push_back(TinyBlock(in, out));
            in = out;
        }
    }
    return std::make_shared<TinyPictureClassifier>(trunk, in);
}

const Registered<Network> registered(
    {"phlippe_resnet",
     "classification",
     "ResNet of the UvA notebooks, 32 x 32",
     272'378,
     "UvA deep learning notebooks, tutorial 5, as in TorchBench: from its sizes",
     128,
     32},
    &make);

}  // namespace vigil_bench::zoo::phlippe_resnet
