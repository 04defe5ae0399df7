#include "worker/bench/zoo/network.hpp"

// The gradient of each row of a batch by itself, its norm limited, as differentially private
// training needs it (Abadi et al. 2016), on the network of Opacus's example for MNIST.

namespace vigil_bench::zoo::per_sample_gradients {

constexpr double largest_norm = 1.0;

/// What a layer read, and what it made of it before the activation.
struct Pass {
    Tensor input;
    Tensor output;
};

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

    std::vector<Pass> forward(const Tensor& pictures) {
        std::vector<Pass> passes;
        Tensor x = pictures;
        for (auto& layer : convs) {
            passes.push_back({x, layer(x)});
            x = torch::max_pool2d(passes.back().output.relu(), 2, 1);
        }
        x = x.flatten(1);
        for (auto& layer : linears) {
            passes.push_back({x, layer(x)});
            x = passes.back().output.relu();
        }
        return passes;
    }

    static Tensor losses(const std::vector<Pass>& passes, const Tensor& classes) {
        return torch::cross_entropy_loss(passes.back().output, classes, {}, at::Reduction::None);
    }

    /// For each layer [b,out,in] and [b,out]: gradients of weights and biases by row.
    Tensors gradients(const std::vector<Pass>& passes, const Tensor& loss_of_rows) {
        Tensors outputs;
        for (const auto& pass : passes) outputs.push_back(pass.output);
        const auto slopes = torch::autograd::grad({loss_of_rows.sum()}, outputs, {}, true);
        Tensors all;
        for (std::size_t i = 0; i < passes.size(); ++i) {
            const Tensor input = passes[i].input.detach();
            if (i < convs.size()) {
                const auto& options = convs[i]->options;
                const Tensor slope = slopes[i].flatten(2);
                using std::get;  // LibTorch 2 has std::variant here, LibTorch 1 its own
                const Tensor patches = torch::im2col(
                    input,
                    *options.kernel_size(),
                    *options.dilation(),
                    at::IntArrayRef(*get<0>(options.padding())),
                    *options.stride());
                all.push_back(torch::bmm(slope, patches.transpose(1, 2)));
                all.push_back(slope.sum(2));
            } else {
                all.push_back(torch::bmm(slopes[i].unsqueeze(2), input.unsqueeze(1)));
                all.push_back(slopes[i]);
            }
        }
        return all;
    }

    static Tensor norms(const Tensors& gradients_of_rows) {
        Tensor squares;
        for (const auto& gradient : gradients_of_rows) {
            const Tensor square = gradient.flatten(1).square().sum(1);
            squares = squares.defined() ? squares + square : square;
        }
        return squares.sqrt();
    }

    Tensors answer(const Tensors& inputs) override {
        const torch::AutoGradMode with_grad(true);
        const auto passes = forward(inputs[0]);
        return gradients(passes, losses(passes, inputs[1]));
    }

    /// Its gradient is the mean of the rows' limited gradients.
    Tensor loss(const Tensors& inputs) override {
        const auto passes = forward(inputs[0]);
        const Tensor of_rows = losses(passes, inputs[1]);
        const Tensor norm = norms(gradients(passes, of_rows)).detach();
        return (of_rows * (largest_norm / (norm + 1e-6)).clamp_max(1)).mean();
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
