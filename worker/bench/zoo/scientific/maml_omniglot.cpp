#include "worker/bench/zoo/blocks/meta_learning.hpp"

// Finn et al. 2017, "Model-agnostic meta-learning", on the shapes of Omniglot with the network of
// the example of the library higher, as in TorchBench: 5 classes, 5 pictures of each to learn from.

namespace vigil_bench::zoo::maml_omniglot {

constexpr std::int64_t ways = 5;
constexpr std::int64_t shown = ways * 5;
constexpr std::int64_t asked = ways * 5;
constexpr int inner_steps = 5;
constexpr double inner_rate = 0.1;
constexpr std::size_t conv_layers = 3;

struct Maml final : Network {
    Maml() {
        std::int64_t in = 1;
        for (std::size_t i = 0; i < conv_layers; ++i) {
            const auto number = std::to_string(i);
            register_module("conv" + number, nn::Conv2d(in, width, 3));
            register_module(
                "norm" + number,
                nn::BatchNorm2d(nn::BatchNormOptions(width).track_running_stats(false)));
            in = width;
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
            x = torch::conv2d(x, layer[0], layer[1]);
            x = torch::batch_norm(x, layer[2], layer[3], {}, {}, true, 0.1, 1e-5, false);
            x = torch::max_pool2d(x.relu(), 2);
        }
        const Tensor* head = &weights[4 * conv_layers];
        return torch::linear(x.flatten(1), head[0], head[1]);
    }

    /// Learns each task by a few steps, then scores what it is asked; [b,asked,ways].
    Tensor adapt(const Tensors& inputs) {
        const torch::AutoGradMode with_grad(true);
        Tensors scores;
        for (std::int64_t task = 0; task < inputs[0].size(0); ++task) {
            Tensors weights = parameters();
            for (int step = 0; step < inner_steps; ++step) {
                weights = stepped(weights, inner_rate, is_training(), [&](const Tensors& now) {
                    return torch::cross_entropy_loss(
                        forward(now, inputs[0][task]), inputs[1][task]);
                });
            }
            scores.push_back(forward(weights, inputs[2][task]));
        }
        return torch::stack(scores);
    }

    Tensors answer(const Tensors& inputs) override { return {adapt(inputs).detach()}; }

    Tensor loss(const Tensors& inputs) override {
        return torch::cross_entropy_loss(adapt(inputs).flatten(0, 1), inputs[3].flatten());
    }

    static constexpr std::int64_t width = 64;
};

const Registered<Maml> registered(
    {"maml_omniglot",
     "scientific",
     "MAML, tasks of 5 classes and 5 pictures, 28 x 28",
     75'205,
     "library higher, example maml-omniglot, 5 classes: from its sizes",
     1,
     1});

}  // namespace vigil_bench::zoo::maml_omniglot
