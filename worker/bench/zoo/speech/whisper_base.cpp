#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Radford et al. 2022, "Robust speech recognition via large-scale weak supervision", Whisper base:
// 30 seconds of 80 log-mel energies, and a text of 64 tokens.

namespace vigil_bench::zoo::whisper_base {

constexpr std::int64_t energies = 80;
constexpr std::int64_t frames = 3000;
constexpr std::int64_t places = frames / 2;
constexpr std::int64_t vocabulary = 51865;
constexpr std::int64_t context = 448;
constexpr std::int64_t tokens = 64;
constexpr std::int64_t width = 512;

LayerShape shape_of() {
    LayerShape shape(width, 8);
    shape.norm = NormPlace::before;
    shape.dropout = 0;
    shape.biases = Biases::without_key;
    return shape;
}

nn::Conv1d conv_of(std::int64_t in, std::int64_t stride) {
    return nn::Conv1d(nn::Conv1dOptions(in, width, 3).stride(stride).padding(1));
}

struct Whisper final : Network {
    Whisper() {
        const torch::NoGradGuard no_grad;
        heard_at->weight.copy_(sine_positions(places, width, heard_at->weight));
        heard_at->weight.requires_grad_(false);
    }

    /// Speech, the text so far, the text one token later.
    Tensors make_inputs(std::int64_t batch) const override {
        const auto ids = [&] { return torch::randint(vocabulary, {batch, tokens}, torch::kLong); };
        return {torch::randn({batch, energies, frames}), ids(), ids()};
    }

    Tensor forward(const Tensor& speech, const Tensor& text) {
        const Tensor heard = torch::gelu(second(torch::gelu(first(speech)))).transpose(1, 2);
        const Tensor memory = heard_norm(layers->encode(heard + heard_at->weight));
        const Tensor x = words(text) + said_at->weight.narrow(0, 0, text.size(1));
        return tied_scores(said_norm(layers->decode(x, memory)), words);
    }

    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0], inputs[1])}; }

    Tensor loss(const Tensors& inputs) override {
        const Tensor scores = forward(inputs[0], inputs[1]);
        return torch::cross_entropy_loss(scores.flatten(0, 1), inputs[2].flatten());
    }

    nn::Conv1d first = register_module("first", conv_of(energies, 1));
    nn::Conv1d second = register_module("second", conv_of(width, 2));
    nn::Embedding heard_at = register_module("heard_at", nn::Embedding(places, width));
    nn::Embedding words = register_module("words", token_embedding(vocabulary, width));
    nn::Embedding said_at = register_module("said_at", token_embedding(context, width));
    EncoderDecoder layers = register_module("layers", EncoderDecoder(shape_of(), 6));
    nn::LayerNorm heard_norm = register_module("heard_norm", layer_norm(width));
    nn::LayerNorm said_norm = register_module("said_norm", layer_norm(width));
};

const Registered<Whisper> registered(
    {"whisper_base",
     "speech",
     "Whisper base, 30 s to 64 tokens",
     72'593'920,
     "Transformers openai/whisper-base (74 M); Radford et al. 2022, Table 1",
     1,
     1});

}  // namespace vigil_bench::zoo::whisper_base
