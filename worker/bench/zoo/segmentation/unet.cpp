#include "worker/bench/zoo/blocks/layers.hpp"

// Ronneberger et al. 2015, "U-Net", as the PyTorch implementation in TorchBench has it: batch
// norms, bilinear upsampling, one class.

namespace vigil_bench::zoo::unet {

nn::Sequential two_convs(std::int64_t in, std::int64_t middle, std::int64_t out) {
    nn::Sequential layers;
    layers->extend(*conv_norm(in, middle, Kernel(3)));
    layers->extend(*conv_norm(middle, out, Kernel(3)));
    return layers;
}

struct UNet final : Network {
    UNet() {
        const std::vector<std::int64_t> widths = {64, 128, 256, 512, 512};
        down->push_back(two_convs(3, widths[0], widths[0]));
        for (std::size_t i = 1; i < widths.size(); ++i) {
            down->push_back(two_convs(widths[i - 1], widths[i], widths[i]));
        }
        for (std::size_t i = widths.size() - 1; i > 0; --i) {
            const std::int64_t in = 2 * widths[i - 1];
            up->push_back(two_convs(in, in / 2, i > 1 ? widths[i - 1] / 2 : widths[0]));
        }
        register_module("down", down);
        register_module("up", up);
        head = register_module("head", conv_with_bias(widths[0], 1, Kernel(1)));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::rand({batch, 3, 192, 256}), torch::rand({batch, 1, 192, 256}).round()};
    }

    Tensor forward(const Tensor& pictures) {
        Tensors skipped;
        Tensor x = pictures;
        for (const auto& stage : *down) {
            if (!skipped.empty()) x = torch::max_pool2d(x, 2);
            x = stage->as<nn::Sequential>()->forward(x);
            skipped.push_back(x);
        }
        skipped.pop_back();
        for (const auto& stage : *up) {
            const Tensor skip = skipped.back();
            skipped.pop_back();
            x = torch::upsample_bilinear2d(x, {skip.size(2), skip.size(3)}, true);
            x = stage->as<nn::Sequential>()->forward(torch::cat({skip, x}, 1));
        }
        return head(x);
    }

    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0])}; }

    Tensor loss(const Tensors& inputs) override {
        return torch::binary_cross_entropy_with_logits(forward(inputs[0]), inputs[1]);
    }

    nn::ModuleList down;
    nn::ModuleList up;
    nn::Conv2d head = nullptr;
};

const Registered<UNet> registered(
    {"unet",
     "segmentation",
     "U-Net, 192 x 256",
     17'262'977,
     "milesial's Pytorch-UNet, as in TorchBench, bilinear, one class; Ronneberger et al. 2015, "
     "Figure 1",
     1,
     1});

}  // namespace vigil_bench::zoo::unet
