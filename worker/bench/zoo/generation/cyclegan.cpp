#include "worker/bench/zoo/blocks/adversaries.hpp"
#include "worker/bench/zoo/blocks/layers.hpp"

// Zhu et al. 2017, "Unpaired image-to-image translation using cycle-consistent adversarial
// networks", with 9 residual blocks and 70 x 70 patches.

namespace vigil_bench::zoo::cyclegan {

constexpr std::int64_t side = 256;
constexpr double cycle_weight = 10;

/// Convolution and norm of each picture by itself.
void add_conv(
    nn::Sequential& layers,
    const nn::Conv2dOptions& options,
    std::int64_t reflected,
    Activation kind) {
    if (reflected > 0) layers->push_back(nn::ReflectionPad2d(reflected));
    layers->push_back(nn::Conv2d(options));
    layers->push_back(nn::InstanceNorm2d(options.out_channels()));
    if (kind != Activation::none) layers->push_back(activation(kind));
}

Skip residual() {
    nn::Sequential branch;
    add_conv(branch, nn::Conv2dOptions(256, 256, 3), 1, Activation::relu);
    add_conv(branch, nn::Conv2dOptions(256, 256, 3), 1, Activation::none);
    return Skip(branch);
}

nn::Sequential make_generator() {
    constexpr auto relu = Activation::relu;
    nn::Sequential layers;
    add_conv(layers, nn::Conv2dOptions(3, 64, 7), 3, relu);
    add_conv(layers, nn::Conv2dOptions(64, 128, 3).stride(2).padding(1), 0, relu);
    add_conv(layers, nn::Conv2dOptions(128, 256, 3).stride(2).padding(1), 0, relu);
    for (int i = 0; i < 9; ++i) layers->push_back(residual());
    for (const std::int64_t in : {256, 128}) {
        layers->push_back(nn::ConvTranspose2d(
            nn::ConvTranspose2dOptions(in, in / 2, 3).stride(2).padding(1).output_padding(1)));
        layers->push_back(nn::InstanceNorm2d(in / 2));
        layers->push_back(activation(relu));
    }
    layers->push_back(nn::ReflectionPad2d(3));
    layers->push_back(nn::Conv2d(nn::Conv2dOptions(64, 3, 7)));
    layers->push_back(activation(Activation::tanh));
    return layers;
}

nn::Sequential make_discriminator() {
    const auto shrink = [](std::int64_t in, std::int64_t out, std::int64_t stride) {
        return nn::Conv2dOptions(in, out, 4).stride(stride).padding(1);
    };
    nn::Sequential layers(nn::Conv2d(shrink(3, 64, 2)), leaky());
    for (const std::int64_t in : {64, 128, 256}) {
        add_conv(layers, shrink(in, 2 * in, in == 256 ? 1 : 2), 0, Activation::none);
        layers->push_back(leaky());
    }
    layers->push_back(nn::Conv2d(shrink(512, 1, 1)));
    return layers;
}

struct CycleGan final : Network {
    /// Pictures of either kind, not in pairs.
    Tensors make_inputs(std::int64_t batch) const override {
        const auto pictures = [&] { return torch::rand({batch, 3, side, side}) * 2 - 1; };
        return {pictures(), pictures()};
    }

    Tensors answer(const Tensors& inputs) override { return {to_b->forward(inputs[0])}; }

    /// One direction: deceive the judge, come back to the same picture, leave its own kind alone.
    static Tensor translate(
        nn::Sequential& there,
        nn::Sequential& back,
        nn::Sequential& judge,
        const Tensor& from,
        const Tensor& to) {
        const Tensor made = there->forward(from);
        const Tensor judging =
            (near_one(judge->forward(to)) + near_zero(judge->forward(made.detach()))) / 2;
        const Frozen frozen(*judge);
        return judging + near_one(judge->forward(made)) +
               cycle_weight * torch::l1_loss(back->forward(made), from) +
               cycle_weight / 2 * torch::l1_loss(there->forward(to), to);
    }

    Tensor loss(const Tensors& inputs) override {
        return translate(to_b, to_a, judge_b, inputs[0], inputs[1]) +
               translate(to_a, to_b, judge_a, inputs[1], inputs[0]);
    }

    nn::Sequential to_b = register_module("to_b", make_generator());
    nn::Sequential to_a = register_module("to_a", make_generator());
    nn::Sequential judge_a = register_module("judge_a", make_discriminator());
    nn::Sequential judge_b = register_module("judge_b", make_discriminator());
};

const Registered<CycleGan> registered(
    {"cyclegan",
     "generation",
     "CycleGAN, 256 x 256",
     28'285'832,
     "official CycleGAN prints 11.378 M and 2.765 M, twice each; Zhu et al. 2017, Appendix 7.2",
     1,
     1});

}  // namespace vigil_bench::zoo::cyclegan
