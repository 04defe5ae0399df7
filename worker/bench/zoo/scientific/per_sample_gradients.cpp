#include "worker/bench/zoo/blocks/per_sample.hpp"

// Gradients by row on the network of Opacus's example for MNIST.

namespace vigil_bench::zoo::per_sample_gradients {

struct PerSample final : Network {
    PerSample() {
        convs.push_back(
            register_module("conv1", nn::Conv2d(nn::Conv2dOptions(1, 16, 8).stride(2).padding(3))));
        convs.push_back(
            register_module("conv2", nn::Conv2d(nn::Conv2dOptions(16, 32, 4).stride(2))));
        linears.push_back(register_module("linear1", nn::Linear(32 * 4 * 4, 32)));
        linears.push_back(register_module("linear2", nn::Linear(32, 10)));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 1, 28, 28}), torch::randint(10, {batch}, torch::kLong)};
    }

    /// The loss of each row.
    Tensor losses(const Tensors& inputs, Taps& taps) {
        Tensor x = inputs[0];
        for (auto& layer : convs) x = torch::max_pool2d(taps(layer, x).relu(), 2, 1);
        const Tensor hidden = taps(linears[0], x.flatten(1)).relu();
        const Tensor scores = taps(linears[1], hidden);
        return torch::cross_entropy_loss(scores, inputs[1], {}, at::Reduction::None);
    }

    Tensors answer(const Tensors& inputs) override {
        const torch::AutoGradMode with_grad(true);
        Taps taps;
        const Tensor of_rows = losses(inputs, taps);
        Tensors all;
        for (const auto& gradient : taps.gradients(of_rows, false)) all.push_back(gradient.of_rows);
        return all;
    }

    /// Its gradient is the mean of the rows' limited gradients, by a second pass backward.
    Tensor loss(const Tensors& inputs) override {
        Taps taps;
        const Tensor of_rows = losses(inputs, taps);
        return (of_rows * limits_of(taps.gradients(of_rows, true))).mean();
    }

    std::vector<nn::Conv2d> convs;
    std::vector<nn::Linear> linears;
};

const Registered<PerSample> registered(
    {"per_sample_gradients",
     "scientific",
     "Gradients of each row, limited, 28 x 28",
     26'010,
     "Opacus example mnist: SampleConvNet, 26,010",
     64,
     64});

}  // namespace vigil_bench::zoo::per_sample_gradients
