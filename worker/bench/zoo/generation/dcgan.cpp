#include "worker/bench/zoo/blocks/adversaries.hpp"
#include "worker/bench/zoo/blocks/layers.hpp"

// Radford et al. 2015, "Unsupervised representation learning with DCGAN", in the sizes of the
// PyTorch example: generator 3,576,704 and discriminator 2,765,568 parameters.

namespace vigil_bench::zoo::dcgan {

constexpr std::int64_t noise = 100;
constexpr std::int64_t width = 64;

nn::ConvTranspose2d grow(
    std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t padding) {
    return nn::ConvTranspose2d(
        nn::ConvTranspose2dOptions(in, out, 4).stride(stride).padding(padding).bias(false));
}

nn::Conv2d shrink(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t padding) {
    return nn::Conv2d(nn::Conv2dOptions(in, out, 4).stride(stride).padding(padding).bias(false));
}

struct Dcgan final : Network {
    Dcgan() {
        std::int64_t in = noise;
        for (const std::int64_t out : {8 * width, 4 * width, 2 * width, width}) {
            generator->push_back(grow(in, out, in == noise ? 1 : 2, in == noise ? 0 : 1));
            generator->push_back(nn::BatchNorm2d(out));
            generator->push_back(activation(Activation::relu));
            in = out;
        }
        generator->push_back(grow(in, 3, 2, 1));
        generator->push_back(activation(Activation::tanh));
        in = 3;
        for (const std::int64_t out : {width, 2 * width, 4 * width, 8 * width}) {
            discriminator->push_back(shrink(in, out, 2, 1));
            if (in != 3) discriminator->push_back(nn::BatchNorm2d(out));
            discriminator->push_back(leaky());
            in = out;
        }
        discriminator->push_back(shrink(in, 1, 1, 0));
        register_module("generator", generator);
        register_module("discriminator", discriminator);
    }

    /// Noise, real pictures.
    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, noise, 1, 1}), torch::rand({batch, 3, 64, 64}) * 2 - 1};
    }

    Tensors answer(const Tensors& inputs) override {
        return {discriminator->forward(generator->forward(inputs[0]))};
    }

    /// Both players' losses: each trains its own network only.
    Tensor loss(const Tensors& inputs) override {
        const Tensor made = generator->forward(inputs[0]);
        const Tensor discriminating = says_real(discriminator->forward(inputs[1])) +
                                      says_made(discriminator->forward(made.detach()));
        const Frozen frozen(*discriminator);
        return discriminating + says_real(discriminator->forward(made));
    }

    nn::Sequential generator;
    nn::Sequential discriminator;
};

const Registered<Dcgan> registered(
    {"dcgan",
     "generation",
     "DCGAN, 64 x 64",
     6'342'272,
     "PyTorch example dcgan: 3,576,704 and 2,765,568; Radford et al. 2015, Figure 1",
     16,
     8});

}  // namespace vigil_bench::zoo::dcgan
