#include "worker/bench/zoo/blocks/u_net.hpp"

#include "worker/bench/zoo/blocks/layers.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo {

namespace u_net {

nn::Sequential two_convs(std::int64_t in, std::int64_t middle, std::int64_t out) {
    nn::Sequential layers;
    layers->extend(*conv_norm(in, middle, Kernel(3)));
    layers->extend(*conv_norm(middle, out, Kernel(3)));
    return layers;
}

struct UNet final : Network {
    explicit UNet(std::int64_t class_count) : classes(class_count) {
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
        head = register_module("head", conv_with_bias(widths[0], classes, Kernel(1)));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        const Tensor pictures = torch::rand({batch, 3, height, width});
        if (classes == 1) return {pictures, torch::rand({batch, 1, height, width}).round()};
        return {pictures, torch::randint(classes, {batch, height, width}, torch::kLong)};
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

    /// Of two or more classes with the Dice coefficient (Milletari et al. 2016) beside it.
    Tensor loss(const Tensors& inputs) override {
        const Tensor scores = forward(inputs[0]);
        if (classes == 1) return torch::binary_cross_entropy_with_logits(scores, inputs[1]);
        const Tensor chances = torch::softmax(scores, 1);
        const Tensor truth = torch::one_hot(inputs[1], classes).permute({0, 3, 1, 2}).to(chances);
        const Tensor common = (chances * truth).sum({0, 2, 3});
        const Tensor both = chances.sum({0, 2, 3}) + truth.sum({0, 2, 3});
        const Tensor dice = ((2 * common + 1e-6) / (both + 1e-6)).mean();
        return torch::cross_entropy_loss(scores, inputs[1]) + (1 - dice);
    }

    std::int64_t classes;
    std::int64_t height = size_of_inputs(192, 572);  // Ronneberger et al. 2015, Figure 1
    std::int64_t width = size_of_inputs(256, 572);
    nn::ModuleList down;
    nn::ModuleList up;
    nn::Conv2d head = nullptr;
};

}  // namespace u_net

std::shared_ptr<Network> make_u_net(std::int64_t classes) {
    return std::make_shared<u_net::UNet>(classes);
}

}  // namespace vigil_bench::zoo
