#include "worker/bench/zoo/blocks/layers.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Ho et al. 2020, "Denoising diffusion probabilistic models", Appendix B, the U-Net for CIFAR-10:
// 128 channels, four sizes, attention at 16 x 16.

namespace vigil_bench::zoo::ddpm {

constexpr std::int64_t side = 32;
constexpr std::int64_t channels = 128;
constexpr std::int64_t time_width = 4 * channels;
constexpr std::size_t attending = 1;  ///< the level of 16 x 16
constexpr int steps = 1000;

nn::GroupNorm group_norm(std::int64_t width) {
    return nn::GroupNorm(nn::GroupNormOptions(32, width).eps(1e-6));
}

struct ResidualImpl final : nn::Module {
    ResidualImpl(std::int64_t in, std::int64_t out) {
        first_norm = register_module("first_norm", group_norm(in));
        first = register_module("first", conv_with_bias(in, out, Kernel(3)));
        place = register_module("place", nn::Linear(time_width, out));
        second_norm = register_module("second_norm", group_norm(out));
        second = register_module("second", conv_with_bias(out, out, Kernel(3)));
        if (in == out) return;
        shortcut = register_module("shortcut", conv_with_bias(in, out, Kernel(1)));
    }

    Tensor forward(const Tensor& x, const Tensor& time) {
        Tensor y = first(torch::silu(first_norm(x)));
        y = y + place(torch::silu(time)).unsqueeze(2).unsqueeze(3);
        y = torch::dropout(torch::silu(second_norm(y)), 0.1, is_training());
        return second(y) + (shortcut ? shortcut(x) : x);
    }

    nn::GroupNorm first_norm = nullptr;
    nn::Conv2d first = nullptr;
    nn::Linear place = nullptr;
    nn::GroupNorm second_norm = nullptr;
    nn::Conv2d second = nullptr;
    nn::Conv2d shortcut = nullptr;
};
TORCH_MODULE(Residual);

struct LookImpl final : nn::Module {
    explicit LookImpl(std::int64_t width)
        : norm(register_module("norm", group_norm(width))),
          attention(register_module("attention", Attention(shape_of(width)))) {}

    static LayerShape shape_of(std::int64_t width) {
        LayerShape shape(width, 1);
        shape.dropout = 0;
        return shape;
    }

    Tensor forward(const Tensor& x) {
        const Tensor seen = attention(norm(x).flatten(2).transpose(1, 2));
        return x + seen.transpose(1, 2).reshape(x.sizes());
    }

    nn::GroupNorm norm;
    Attention attention;
};
TORCH_MODULE(Look);

/// A residual block, and attention at one size.
struct StepImpl final : nn::Module {
    StepImpl(std::int64_t in, std::int64_t out, bool attends)
        : residual(register_module("residual", Residual(in, out))) {
        if (attends) look = register_module("look", Look(out));
    }

    Tensor forward(const Tensor& x, const Tensor& time) {
        const Tensor y = residual(x, time);
        return look ? look(y) : y;
    }

    Residual residual;
    Look look = nullptr;
};
TORCH_MODULE(Step);

struct Denoiser final : Network {
    Denoiser() {
        const std::vector<std::int64_t> widths = {128, 256, 256, 256};
        std::vector<std::int64_t> kept = {channels};
        std::int64_t in = channels;
        for (std::size_t level = 0; level < widths.size(); ++level) {
            for (int i = 0; i < blocks_down; ++i) {
                down->push_back(Step(in, widths[level], level == attending));
                in = widths[level];
                kept.push_back(in);
            }
            if (level + 1 == widths.size()) break;
            shrink->push_back(conv_with_bias(in, in, Kernel(3, 2)));
            kept.push_back(in);
        }
        for (std::size_t level = widths.size(); level-- > 0;) {
            for (int i = 0; i <= blocks_down; ++i) {
                up->push_back(Step(in + kept.back(), widths[level], level == attending));
                kept.pop_back();
                in = widths[level];
            }
            if (level > 0) grow->push_back(conv_with_bias(in, in, Kernel(3)));
        }
        register_module("down", down);
        register_module("shrink", shrink);
        register_module("up", up);
        register_module("grow", grow);
    }

    /// Noisy pictures, the step of each, the noise.
    Tensors make_inputs(std::int64_t batch) const override {
        const auto pictures = [&] { return torch::randn({batch, 3, side, side}); };
        return {pictures(), torch::randint(steps, {batch}, torch::kLong), pictures()};
    }

    Tensor forward(const Tensor& pictures, const Tensor& step) {
        const Tensor code = sine_code(step.to(torch::kDouble), channels).to(pictures.dtype());
        const Tensor time = time_layers->forward(code);
        Tensor x = read(pictures);
        Tensors kept = {x};
        std::size_t next = 0;
        for (std::size_t level = 0; level <= shrink->size(); ++level) {
            for (int i = 0; i < blocks_down; ++i) {
                x = down[next++]->as<Step>()->forward(x, time);
                kept.push_back(x);
            }
            if (level == shrink->size()) break;
            x = shrink[level]->as<nn::Conv2d>()->forward(x);
            kept.push_back(x);
        }
        x = last_of_middle(middle_look(middle(x, time)), time);
        next = 0;
        for (std::size_t level = 0; level <= grow->size(); ++level) {
            for (int i = 0; i <= blocks_down; ++i) {
                x = up[next++]->as<Step>()->forward(torch::cat({x, kept.back()}, 1), time);
                kept.pop_back();
            }
            if (level == grow->size()) break;
            const Tensor larger = torch::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
            x = grow[level]->as<nn::Conv2d>()->forward(larger);
        }
        return head(torch::silu(head_norm(x)));
    }

    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0], inputs[1])}; }

    Tensor loss(const Tensors& inputs) override {
        return torch::mse_loss(forward(inputs[0], inputs[1]), inputs[2]);
    }

    static constexpr int blocks_down = 2;
    static constexpr std::int64_t widest = 256;

    nn::Sequential time_layers = register_module(
        "time_layers", perceptron({channels, time_width, time_width}, Activation::silu));
    nn::Conv2d read = register_module("read", conv_with_bias(3, channels, Kernel(3)));
    nn::ModuleList down;
    nn::ModuleList shrink;
    Residual middle = register_module("middle", Residual(widest, widest));
    Look middle_look = register_module("middle_look", Look(widest));
    Residual last_of_middle = register_module("last_of_middle", Residual(widest, widest));
    nn::ModuleList up;
    nn::ModuleList grow;
    nn::GroupNorm head_norm = register_module("head_norm", group_norm(channels));
    nn::Conv2d head = register_module("head", conv_with_bias(channels, 3, Kernel(3)));
};

const Registered<Denoiser> registered(
    {"ddpm",
     "generation",
     "Diffusion U-Net, 32 x 32",
     35'746'307,
     "Ho et al. 2020, Appendix B, CIFAR-10 (35.7 M): from its sizes",
     1,
     2});

}  // namespace vigil_bench::zoo::ddpm
