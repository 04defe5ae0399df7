#include "worker/bench/zoo/blocks/image_classifier.hpp"

// Radosavovic et al. 2020, "Designing network design spaces", RegNetY-12GF: bottlenecks in groups
// of 112 channels, gated by a quarter of the block's input channels.

namespace vigil_bench::zoo::regnety_120 {

constexpr std::int64_t group_width = 112;

/// Scales each channel by a gate: ReLU, then a sigmoid.
struct GateImpl final : nn::Module {
    GateImpl(std::int64_t channels, std::int64_t squeezed) {
        down = register_module("down", conv_with_bias(channels, squeezed, Kernel(1)));
        up = register_module("up", conv_with_bias(squeezed, channels, Kernel(1)));
    }

    Tensor forward(const Tensor& x) {
        return x * up(down(torch::adaptive_avg_pool2d(x, {1, 1})).relu_()).sigmoid();
    }

    nn::Conv2d down = nullptr;
    nn::Conv2d up = nullptr;
};
TORCH_MODULE(Gate);

struct RegNetBlockImpl final : nn::Module {
    RegNetBlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride) {
        branch->extend(*conv_norm(in, out, Kernel(1)));
        branch->extend(*conv_norm(out, out, Kernel(3, stride, out / group_width)));
        branch->push_back(Gate(out, in / 4));
        branch->extend(*conv_norm(out, out, Kernel(1), Activation::none));
        register_module("branch", branch);
        if (in == out && stride == 1) return;
        shortcut =
            register_module("shortcut", conv_norm(in, out, Kernel(1, stride), Activation::none));
    }

    Tensor forward(const Tensor& x) {
        return (branch->forward(x) + (shortcut ? shortcut->forward(x) : x)).relu_();
    }

    nn::Sequential branch;
    nn::Sequential shortcut = nullptr;
};
TORCH_MODULE(RegNetBlock);

std::shared_ptr<Network> make() {
    const std::vector<std::pair<int, std::int64_t>> stages = {
        {2, 224}, {5, 448}, {11, 896}, {1, 2240}};
    std::int64_t in = 32;
    nn::Sequential trunk;
    trunk->extend(*conv_norm(3, in, Kernel(3, 2)));
    for (const auto& [count, out] : stages) {
        for (int i = 0; i < count; ++i) {
            trunk->push_back(RegNetBlock(in, out, i == 0 ? 2 : 1));
            in = out;
        }
    }
    return trunk_classifier(trunk, nn::Linear(in, ImageClassifier::classes));
}

const Registered<Network> registered(
    {"regnety_120",
     "classification",
     "RegNetY-12GF, 224 x 224",
     51'822'544,
     "timm regnety_120, 51.82 M; Radosavovic et al. 2020, Table 4 (51.8 M)",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::regnety_120
