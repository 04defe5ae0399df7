#include "worker/bench/zoo/blocks/transformer.hpp"

#include <cmath>

#include "worker/bench/zoo/blocks/language_model.hpp"

// Vaswani et al. 2017, "Attention is all you need", base; one embedding for both languages and the
// output (section 3.4).

namespace vigil_bench::zoo::transformer {

constexpr std::int64_t vocabulary = 37000;
constexpr std::int64_t tokens = 64;
constexpr std::int64_t width = 512;
constexpr int layer_count = 6;

struct Transformer final : TranslationModel {
    Transformer() : TranslationModel(vocabulary, tokens) {
        LayerShape shape(width, 8);
        shape.kind = Activation::relu;
        layers = register_module("layers", EncoderDecoder(shape, layer_count));
    }

    Tensor embed(const Tensor& ids) {
        const Tensor x = words(ids) * std::sqrt(static_cast<double>(width));
        return torch::dropout(x + sine_positions(ids.size(1), width, x), 0.1, is_training());
    }

    Tensor forward(const Tensor& source, const Tensor& target) override {
        const Tensor memory = layers->encode(embed(source));
        return tied_scores(layers->decode(embed(target), memory), words);
    }

    nn::Embedding words = register_module("words", token_embedding(vocabulary, width));
    EncoderDecoder layers = nullptr;
};

const Registered<Transformer> registered(
    {"transformer",
     "language",
     "Transformer base, 64 tokens to 64",
     63'082'496,
     "Vaswani et al. 2017, Table 3, base (65 M), 37,000 tokens (section 5.1): from its sizes",
     2,
     2});

}  // namespace vigil_bench::zoo::transformer
