#include "worker/bench/zoo/blocks/meta_learning.hpp"

// Finn et al. 2017, "Model-agnostic meta-learning", on Omniglot with strided convolutions, as
// TorchBench's `maml` runs it: ten steps from one picture of each of 5 classes, without training.

namespace vigil_bench::zoo::maml {

constexpr std::int64_t ways = 5;
constexpr std::int64_t shown = ways * 1;
constexpr std::int64_t asked = ways * 15;
constexpr std::int64_t width = 64;
constexpr int inner_steps = 10;
constexpr double inner_rate = 0.4;
constexpr std::size_t conv_layers = 4;

/// Of the last convolution 2 x 2, stride 1; of the others 3 x 3, stride 2.
bool is_last(std::size_t layer) {
    return layer + 1 == conv_layers;
}

struct Maml final : Network {
    Maml() {
        for (std::size_t i = 0; i < conv_layers; ++i) {
            const auto number = std::to_string(i);
            register_module(
                "conv" + number, nn::Conv2d(i == 0 ? 1 : width, width, is_last(i) ? 2 : 3));
            register_module(
                "norm" + number,
                nn::BatchNorm2d(nn::BatchNormOptions(width).track_running_stats(false)));
        }
        register_module("head", nn::Linear(width, ways));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return omniglot_tasks(batch, ways, shown, asked);
    }

    /// The network with other weights than its own, in the order of parameters().
    static Tensor forward(const Tensors& weights, const Tensor& pictures) {
        Tensor x = pictures;
        for (std::size_t i = 0; i < conv_layers; ++i) {
            const Tensor* layer = &weights[4 * i];
            x = torch::conv2d(x, layer[0], layer[1], is_last(i) ? 1 : 2).relu();
            x = torch::batch_norm(x, layer[2], layer[3], {}, {}, true, 0.1, 1e-5, false);
        }
        const Tensor* head = &weights[4 * conv_layers];
        return torch::linear(x.flatten(1), head[0], head[1]);
    }

    /// Scores of what is asked, before the first step and after each, [b,steps+1,asked,ways].
    Tensors answer(const Tensors& inputs) override {
        const torch::AutoGradMode with_grad(true);
        Tensors scores;
        for (std::int64_t task = 0; task < inputs[0].size(0); ++task) {
            Tensors weights = parameters();
            for (int step = 0; step <= inner_steps; ++step) {
                const torch::NoGradGuard no_grad;
                scores.push_back(forward(weights, inputs[2][task]));
                if (step == inner_steps) break;
                const torch::AutoGradMode again(true);
                weights = stepped(weights, inner_rate, false, [&](const Tensors& now) {
                    return torch::cross_entropy_loss(
                        forward(now, inputs[0][task]), inputs[1][task]);
                });
            }
        }
        return {torch::stack(scores).view({-1, inner_steps + 1, asked, ways})};
    }

    Tensor loss(const Tensors& inputs) override { return answer(inputs)[0].sum(); }
};

const Registered<Maml> registered(
    {"maml",
     "scientific",
     "MAML without training, tasks of 5 classes and 1 picture, 28 x 28",
     91'781,
     "TorchBench maml: from its sizes; its 512 running means and variances are not used",
     1,
     0});

}  // namespace vigil_bench::zoo::maml
