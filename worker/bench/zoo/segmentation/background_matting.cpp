#include "worker/bench/zoo/blocks/layers.hpp"

// Sengupta et al. 2020, "Background matting: the world is your green screen": the generator, on a
// picture, its empty background, a rough mask of the person, and four frames around it.

namespace vigil_bench::zoo::background_matting {

constexpr std::int64_t side = 256;
constexpr std::int64_t narrow = 64;
constexpr std::int64_t wide = 4 * narrow;
constexpr int frames = 4;

nn::ReflectionPad2d mirror(std::int64_t by) {
    return nn::ReflectionPad2d(nn::ReflectionPad2dOptions(by));
}

nn::Conv2d bare(std::int64_t in, std::int64_t out, std::int64_t size) {
    return nn::Conv2d(nn::Conv2dOptions(in, out, size));
}

void add_norm(nn::Sequential& layers, std::int64_t channels) {
    layers->push_back(nn::BatchNorm2d(channels));
    layers->push_back(activation(Activation::relu));
}

void add_halving(nn::Sequential& layers, std::int64_t in) {
    layers->push_back(conv_with_bias(in, 2 * in, Kernel(3, 2)));
    add_norm(layers, 2 * in);
}

nn::Sequential first_layers(std::int64_t in) {
    nn::Sequential layers(mirror(3), bare(in, narrow, 7));
    add_norm(layers, narrow);
    add_halving(layers, narrow);
    return layers;
}

/// [b,in,h,w] -> [b,256,h/4,w/4]
nn::Sequential encoder(std::int64_t in) {
    auto layers = first_layers(in);
    add_halving(layers, 2 * narrow);
    return layers;
}

Skip residual() {
    nn::Sequential branch(mirror(1), bare(wide, wide, 3));
    add_norm(branch, wide);
    branch->push_back(mirror(1));
    branch->push_back(bare(wide, wide, 3));
    branch->push_back(nn::BatchNorm2d(wide));
    return Skip(branch);
}

void add_doubling(nn::Sequential& layers, std::int64_t in, std::int64_t out) {
    layers->push_back(nn::Functional([](const Tensor& x) {
        return torch::upsample_bilinear2d(x, {2 * x.size(2), 2 * x.size(3)}, true);
    }));
    layers->push_back(conv_with_bias(in, out, Kernel(3)));
    add_norm(layers, out);
}

struct BackgroundMatting final : Network {
    BackgroundMatting() {
        first = register_module("first", first_layers(3));
        add_halving(second, 2 * narrow);
        register_module("second", second);
        const std::vector<std::int64_t> channels = {3, 1, frames};  // background, mask, frames
        for (const auto in : channels) {
            others->push_back(encoder(in));
            joints->push_back(conv_norm(2 * wide, narrow, Kernel(1)));
        }
        register_module("others", others);
        register_module("joints", joints);
        together->extend(*conv_norm(wide + 3 * narrow, wide, Kernel(1)));
        for (int i = 0; i < 7; ++i) together->push_back(residual());
        for (int i = 0; i < 3; ++i) of_mask->push_back(residual());
        add_doubling(of_mask, wide, 2 * narrow);
        add_doubling(of_mask, 2 * narrow, narrow);
        of_mask->push_back(mirror(3));
        of_mask->push_back(bare(narrow, 1, 7));
        of_mask->push_back(activation(Activation::tanh));
        for (int i = 0; i < 3; ++i) of_person->push_back(residual());
        add_doubling(of_person, wide, 2 * narrow);
        add_doubling(last, 2 * 2 * narrow, narrow);
        last->push_back(mirror(3));
        last->push_back(bare(narrow, 3, 7));
        register_module("together", together);
        register_module("of_mask", of_mask);
        register_module("of_person", of_person);
        register_module("last", last);
    }

    /// Picture, background, mask, frames; then the mask and the person that are wanted.
    Tensors make_inputs(std::int64_t batch) const override {
        const auto map = [&](std::int64_t channels) {
            return torch::rand({batch, channels, side, side}) * 2 - 1;
        };
        return {map(3), map(3), map(1), map(frames), map(1), map(3)};
    }

    /// Mask [b,1,h,w] and person [b,3,h,w]. The frames are read and not used, as published.
    Tensors answer(const Tensors& inputs) override {
        const Tensor half = first->forward(inputs[0]);
        const Tensor seen = second->forward(half);
        Tensors read;
        for (std::size_t i = 0; i < others->size(); ++i) {
            read.push_back(others[i]->as<nn::Sequential>()->forward(inputs[1 + i]));
        }
        read[2] = read[0];
        Tensors joined = {seen};
        for (std::size_t i = 0; i < joints->size(); ++i) {
            const Tensor both = torch::cat({seen, read[i]}, 1);
            joined.push_back(joints[i]->as<nn::Sequential>()->forward(both));
        }
        const Tensor x = together->forward(torch::cat(joined, 1));
        const Tensor person = of_person->forward(x);
        return {of_mask->forward(x), last->forward(torch::cat({person, half}, 1))};
    }

    /// Supervised by a mask and a person, and by the picture that they and the background make.
    Tensor loss(const Tensors& inputs) override {
        const Tensors made = answer(inputs);
        const Tensor share = (made[0] + 1) / 2;
        const Tensor composed = made[1] * share + inputs[1] * (1 - share);
        return torch::l1_loss(made[0], inputs[4]) + torch::l1_loss(made[1], inputs[5]) +
               torch::l1_loss(composed, inputs[0]);
    }

    nn::Sequential first = nullptr;
    nn::Sequential second;
    nn::ModuleList others;
    nn::ModuleList joints;
    nn::Sequential together;
    nn::Sequential of_mask;
    nn::Sequential of_person;
    nn::Sequential last;
};

const Registered<BackgroundMatting> registered(
    {"background_matting",
     "segmentation",
     "Background matting's generator, 256 x 256",
     17'908'420,
     "TorchBench's netG, from its sizes: four encoders, seven and twice three residual blocks of "
     "256; Sengupta et al. 2020, section 3",
     1,
     1});

}  // namespace vigil_bench::zoo::background_matting
