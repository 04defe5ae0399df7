#include <cmath>

#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Dong et al. 2018, "Speech-transformer", in the sizes of the PyTorch implementation in TorchBench:
// frames of 4 x 80 energies to the 4233 characters of AISHELL.

namespace vigil_bench::zoo::speech_transformer {

constexpr std::int64_t energies = 320;
constexpr std::int64_t characters = 4233;
constexpr std::int64_t width = 512;
constexpr std::int64_t frames = 128;
constexpr std::int64_t spoken = 20;
constexpr int layer_count = 6;

struct SpeechTransformer final : Network {
    SpeechTransformer() {
        LayerShape shape(width, 8);
        shape.kind = Activation::relu;
        layers = register_module("layers", EncoderDecoder(shape, layer_count));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randn({batch, frames, energies}),
            torch::randint(characters, {batch, spoken}, torch::kLong),
            torch::randint(characters, {batch, spoken}, torch::kLong)};
    }

    Tensor place(const Tensor& x) {
        const Tensor placed = x + sine_positions(x.size(1), width, x);
        return torch::dropout(placed, 0.1, is_training());
    }

    Tensor forward(const Tensor& speech, const Tensor& text) {
        const Tensor memory = layers->encode(place(read_norm(read(speech))));
        const Tensor x = place(words(text) * std::sqrt(static_cast<double>(width)));
        return tied_scores(layers->decode(x, memory), words);
    }

    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0], inputs[1])}; }

    Tensor loss(const Tensors& inputs) override {
        const Tensor scores = forward(inputs[0], inputs[1]);
        return torch::cross_entropy_loss(scores.flatten(0, 1), inputs[2].flatten());
    }

    nn::Linear read = register_module("read", nn::Linear(energies, width));
    nn::LayerNorm read_norm = register_module("read_norm", layer_norm(width));
    nn::Embedding words = register_module("words", token_embedding(characters, width));
    EncoderDecoder layers = nullptr;
};

const Registered<SpeechTransformer> registered(
    {"speech_transformer",
     "speech",
     "Speech-transformer, 128 frames to 20 characters",
     46'471'168,
     "kaituoxu's Speech-Transformer, as in TorchBench, 4233 characters: from its sizes; Dong et "
     "al. 2018",
     1,
     2});

}  // namespace vigil_bench::zoo::speech_transformer
