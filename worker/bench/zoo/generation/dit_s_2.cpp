#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Peebles and Xie 2023, "Scalable diffusion models with transformers", DiT-S/2: 256 patches of a
// latent picture of 4 x 32 x 32, whose norms are shifted and scaled by step and class.

namespace vigil_bench::zoo::dit_s_2 {

constexpr std::int64_t side = 32;
constexpr std::int64_t channels = 4;
constexpr std::int64_t patch = 2;
constexpr std::int64_t patches = (side / patch) * (side / patch);
constexpr std::int64_t width = 384;
constexpr std::int64_t code_width = 256;
constexpr std::int64_t classes = 1000;
constexpr int depth = 12;
constexpr int steps = 1000;

nn::LayerNorm plain_norm() {
    return nn::LayerNorm(nn::LayerNormOptions({width}).eps(1e-6).elementwise_affine(false));
}

/// So many vectors of `width` for each row, [b,1,width] each.
nn::Linear changes_of(std::int64_t count) {
    return nn::Linear(width, count * width);
}

Tensors changes(nn::Linear& layer, const Tensor& condition, std::int64_t count) {
    return layer(torch::silu(condition)).unsqueeze(1).chunk(count, 2);
}

Tensor changed(const Tensor& x, const Tensor& shift, const Tensor& scale) {
    return x * (1 + scale) + shift;
}

struct BlockImpl final : nn::Module {
    static LayerShape shape_of() {
        LayerShape shape(width, 6);
        shape.projections = Projections::fused;
        shape.dropout = 0;
        return shape;
    }

    Tensor forward(const Tensor& x, const Tensor& condition) {
        const auto by = changes(modulate, condition, 6);
        const Tensor y = x + by[2] * attention(changed(norm(x), by[0], by[1]));
        return y + by[5] * feed->forward(changed(norm(y), by[3], by[4]));
    }

    Attention attention = register_module("attention", Attention(shape_of()));
    nn::Sequential feed = register_module("feed", feed_forward(shape_of()));
    nn::Linear modulate = register_module("modulate", changes_of(6));
    nn::LayerNorm norm = register_module("norm", plain_norm());
};
TORCH_MODULE(Block);

struct Dit final : Network {
    Dit() {
        const auto numbers = torch::arange(side / patch, torch::kFloat);
        const Tensor code = sine_code(numbers, width / 2);
        const std::int64_t across = side / patch;
        const Tensor rows = code.unsqueeze(1).expand({across, across, -1});
        const Tensor columns = code.unsqueeze(0).expand({across, across, -1});
        positions = register_parameter(
            "positions", torch::cat({columns, rows}, 2).view({1, patches, width}), false);
    }

    /// Noisy latent pictures, the step and the class of each, the noise.
    Tensors make_inputs(std::int64_t batch) const override {
        const auto pictures = [&] { return torch::randn({batch, channels, side, side}); };
        return {
            pictures(),
            torch::randint(steps, {batch}, torch::kLong),
            torch::randint(classes, {batch}, torch::kLong),
            pictures()};
    }

    /// The noise and its variance, [b,8,32,32].
    Tensor forward(const Tensor& pictures, const Tensor& step, const Tensor& kind) {
        const Tensor code = sine_code(step.to(torch::kDouble), code_width).to(pictures.dtype());
        const Tensor condition = time_layers->forward(code) + kinds(kind);
        Tensor x = cut(pictures).flatten(2).transpose(1, 2) + positions;
        for (const auto& block : *blocks) x = block->as<Block>()->forward(x, condition);
        const auto by = changes(modulate, condition, 2);
        x = head(changed(norm(x), by[0], by[1]));
        const std::int64_t across = side / patch;
        return x.view({-1, across, across, patch, patch, 2 * channels})
            .permute({0, 5, 1, 3, 2, 4})
            .reshape({-1, 2 * channels, side, side});
    }

    Tensors answer(const Tensors& inputs) override {
        return {forward(inputs[0], inputs[1], inputs[2])};
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensor found = forward(inputs[0], inputs[1], inputs[2]);
        return torch::mse_loss(found.narrow(1, 0, channels), inputs[3]);
    }

    nn::Conv2d cut =
        register_module("cut", nn::Conv2d(nn::Conv2dOptions(channels, width, patch).stride(patch)));
    nn::Sequential time_layers =
        register_module("time_layers", perceptron({code_width, width, width}, Activation::silu));
    /// One more class: none.
    nn::Embedding kinds = register_module("kinds", token_embedding(classes + 1, width));
    Tensor positions;
    nn::ModuleList blocks = register_module("blocks", list_of(depth, [](int) { return Block(); }));
    nn::LayerNorm norm = register_module("norm", plain_norm());
    nn::Linear modulate = register_module("modulate", changes_of(2));
    nn::Linear head = register_module("head", nn::Linear(width, patch* patch * 2 * channels));
};

const Registered<Dit> registered(
    {"dit_s_2",
     "generation",
     "Diffusion transformer S/2, latent 32 x 32",
     32'963'360,
     "Peebles and Xie 2023, Table 1, DiT-S/2 (33 M), 98,304 of them fixed positions: from its "
     "sizes",
     1,
     2});

}  // namespace vigil_bench::zoo::dit_s_2
