#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Radford et al. 2021, "Learning transferable visual models from natural language supervision",
// CLIP with ViT-B/32: pictures of 224 x 224 and texts of 77 tokens into one space of 512.

namespace vigil_bench::zoo::clip_vit_b_32 {

constexpr std::int64_t patch = 32;
constexpr std::int64_t patches = (224 / patch) * (224 / patch);
constexpr std::int64_t seen_width = 768;
constexpr std::int64_t vocabulary = 49408;
constexpr std::int64_t tokens = 77;
constexpr std::int64_t read_width = 512;
constexpr std::int64_t shared_width = 512;

nn::ModuleList layers_of(std::int64_t width) {
    LayerShape shape(width, width / 64);
    shape.norm = NormPlace::before;
    shape.kind = Activation::quick_gelu;
    shape.dropout = 0;
    return list_of(12, [&](int) { return EncoderLayer(shape); });
}

Tensor through(const nn::ModuleList& layers, Tensor x, const Tensor& bias = {}) {
    for (const auto& layer : *layers) x = layer->as<EncoderLayer>()->forward(x, bias);
    return x;
}

Tensor of_length_1(const Tensor& x) {
    return x / x.norm(2, {1}, true);
}

struct Clip final : Network {
    /// Row by row a picture and its text.
    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randn({batch, 3, 224, 224}),
            torch::randint(vocabulary, {batch, tokens}, torch::kLong)};
    }

    Tensor see(const Tensor& pictures) {
        const Tensor cut_up = cut(pictures).flatten(2).transpose(1, 2);
        const Tensor x = torch::cat({whole.expand({cut_up.size(0), 1, -1}), cut_up}, 1);
        const Tensor seen = through(seeing, first_norm(x + seen_at->weight));
        return of_length_1(from_seen(seen_norm(seen.select(1, 0))));
    }

    /// What its last token has read.
    Tensor read(const Tensor& texts) {
        const Tensor x = words(texts) + read_at->weight;
        const Tensor done = through(reading, x, causal_bias(tokens, words->weight.detach()));
        return of_length_1(from_read(read_norm(done.select(1, tokens - 1))));
    }

    /// How well each picture fits each text, [b,b].
    Tensors answer(const Tensors& inputs) override {
        return {torch::mm(see(inputs[0]), read(inputs[1]).t()) * log_scale.exp()};
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensor fit = answer(inputs)[0];
        const Tensor own = torch::arange(fit.size(0), inputs[1].options());
        return (torch::cross_entropy_loss(fit, own) + torch::cross_entropy_loss(fit.t(), own)) / 2;
    }

    nn::Conv2d cut = register_module(
        "cut", nn::Conv2d(nn::Conv2dOptions(3, seen_width, patch).stride(patch).bias(false)));
    Tensor whole = register_parameter("whole", torch::randn({seen_width}) * 0.02);
    nn::Embedding seen_at = register_module("seen_at", token_embedding(1 + patches, seen_width));
    nn::LayerNorm first_norm = register_module("first_norm", layer_norm(seen_width));
    nn::ModuleList seeing = register_module("seeing", layers_of(seen_width));
    nn::LayerNorm seen_norm = register_module("seen_norm", layer_norm(seen_width));
    nn::Linear from_seen =
        register_module("from_seen", linear_without_bias(seen_width, shared_width));
    nn::Embedding words = register_module("words", token_embedding(vocabulary, read_width));
    nn::Embedding read_at = register_module("read_at", token_embedding(tokens, read_width));
    nn::ModuleList reading = register_module("reading", layers_of(read_width));
    nn::LayerNorm read_norm = register_module("read_norm", layer_norm(read_width));
    nn::Linear from_read =
        register_module("from_read", linear_without_bias(read_width, shared_width));
    Tensor log_scale = register_parameter("log_scale", torch::full({}, 2.6592));
};

const Registered<Clip> registered(
    {"clip_vit_b_32",
     "classification",
     "CLIP of ViT-B/32, a picture of 224 x 224 and a text of 77 tokens",
     151'277'313,
     "Transformers openai/clip-vit-base-patch32; Radford et al. 2021",
     1,
     2});

}  // namespace vigil_bench::zoo::clip_vit_b_32
