#include "worker/bench/zoo/blocks/adversaries.hpp"
#include "worker/bench/zoo/blocks/layers.hpp"

// Choi et al. 2017, "StarGAN", on 5 attributes of faces of 128 x 128; the gradient penalty, which
// the official code uses every step, included.

namespace vigil_bench::zoo::stargan {

constexpr std::int64_t side = 128;
constexpr std::int64_t attributes = 5;
constexpr std::int64_t width = 64;
constexpr double weight = 10;  ///< of the penalty and of the way back

void add_norm(nn::Sequential& layers, std::int64_t channels) {
    layers->push_back(nn::InstanceNorm2d(nn::InstanceNorm2dOptions(channels).affine(true)));
}

nn::Conv2dOptions plain(std::int64_t in, std::int64_t out, std::int64_t size, std::int64_t stride) {
    return nn::Conv2dOptions(in, out, size).stride(stride).padding((size - 1) / 2).bias(false);
}

Skip residual(std::int64_t channels) {
    nn::Sequential branch(nn::Conv2d(plain(channels, channels, 3, 1)));
    add_norm(branch, channels);
    branch->push_back(activation(Activation::relu));
    branch->push_back(nn::Conv2d(plain(channels, channels, 3, 1)));
    add_norm(branch, channels);
    return Skip(branch);
}

nn::Sequential make_generator() {
    nn::Sequential layers(nn::Conv2d(plain(3 + attributes, width, 7, 1)));
    add_norm(layers, width);
    layers->push_back(activation(Activation::relu));
    for (const std::int64_t in : {width, 2 * width}) {
        layers->push_back(nn::Conv2d(plain(in, 2 * in, 4, 2)));
        add_norm(layers, 2 * in);
        layers->push_back(activation(Activation::relu));
    }
    for (int i = 0; i < 6; ++i) layers->push_back(residual(4 * width));
    for (const std::int64_t in : {4 * width, 2 * width}) {
        layers->push_back(nn::ConvTranspose2d(
            nn::ConvTranspose2dOptions(in, in / 2, 4).stride(2).padding(1).bias(false)));
        add_norm(layers, in / 2);
        layers->push_back(activation(Activation::relu));
    }
    layers->push_back(nn::Conv2d(plain(width, 3, 7, 1)));
    layers->push_back(activation(Activation::tanh));
    return layers;
}

struct StarGan final : Network {
    StarGan() {
        std::int64_t in = 3;
        for (std::int64_t out = width; out <= 32 * width; out *= 2) {
            trunk->push_back(nn::Conv2d(nn::Conv2dOptions(in, out, 4).stride(2).padding(1)));
            trunk->push_back(
                nn::Functional([](const Tensor& x) { return torch::leaky_relu(x, 0.01); }));
            in = out;
        }
        discriminator->push_back(trunk);
        discriminator->push_back(nn::Conv2d(plain(in, 1, 3, 1)));
        discriminator->push_back(
            nn::Conv2d(nn::Conv2dOptions(in, attributes, side / 64).bias(false)));
        register_module("discriminator", discriminator);
    }

    /// Faces, their attributes, the wanted ones, and where between real and made to penalise.
    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::rand({batch, 3, side, side}) * 2 - 1,
            torch::rand({batch, attributes}).round(),
            torch::rand({batch, attributes}).round(),
            torch::rand({batch, 1, 1, 1})};
    }

    Tensor generate(const Tensor& faces, const Tensor& wanted) {
        const Tensor maps =
            wanted.unsqueeze(2).unsqueeze(3).expand({-1, -1, faces.size(2), faces.size(3)});
        return generator->forward(torch::cat({faces, maps}, 1));
    }

    Tensor real_score(const Tensor& faces) {
        return discriminator[1]->as<nn::Conv2d>()->forward(trunk->forward(faces));
    }

    Tensor attribute_loss(const Tensor& faces, const Tensor& wanted) {
        const Tensor scores = discriminator[2]->as<nn::Conv2d>()->forward(trunk->forward(faces));
        return torch::binary_cross_entropy_with_logits(scores.flatten(1), wanted);
    }

    Tensor penalty(const Tensor& real, const Tensor& made, const Tensor& where) {
        const Tensor between = (where * real + (1 - where) * made).requires_grad_();
        const Tensor slope =
            torch::autograd::grad({real_score(between).sum()}, {between}, {}, true, true)[0];
        return (slope.flatten(1).norm(2, {1}) - 1).square().mean();
    }

    Tensors answer(const Tensors& inputs) override { return {generate(inputs[0], inputs[2])}; }

    Tensor loss(const Tensors& inputs) override {
        const Tensor& real = inputs[0];
        const Tensor made = generate(real, inputs[2]);
        const Tensor apart = made.detach();
        const Tensor judging = real_score(apart).mean() - real_score(real).mean() +
                               attribute_loss(real, inputs[1]) +
                               weight * penalty(real, apart, inputs[3]);
        const Frozen frozen(*discriminator);
        return judging - real_score(made).mean() + attribute_loss(made, inputs[2]) +
               weight * torch::l1_loss(generate(made, inputs[1]), real);
    }

    nn::Sequential generator = register_module("generator", make_generator());
    nn::Sequential trunk;
    nn::ModuleList discriminator;
};

const Registered<StarGan> registered(
    {"stargan",
     "generation",
     "StarGAN, 5 attributes, 128 x 128",
     53'192'576,
     "official StarGAN: generator 8,430,528, discriminator 44,762,048; Choi et al. 2017, Tables 4 "
     "and 5",
     1,
     1});

}  // namespace vigil_bench::zoo::stargan
