#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Vaswani et al. 2017, "Attention is all you need", base, as jadore801120's implementation in
// TorchBench has it: attention without biases, three matrices of words that share nothing, norms
// behind the embeddings, and 9,521 words of Multi30k.

namespace vigil_bench::zoo::attention_is_all_you_need_pytorch {

constexpr std::int64_t vocabulary = 9521;
constexpr std::int64_t tokens = 32;
constexpr std::int64_t width = 512;
constexpr double epsilon = 1e-6;

LayerShape shape_of() {
    LayerShape shape(width, 8);
    shape.kind = Activation::relu;
    shape.epsilon = epsilon;
    shape.biases = Biases::none;
    return shape;
}

/// Words at their places, with a norm.
struct ReadImpl final : nn::Module {
    Tensor forward(const Tensor& ids) {
        const Tensor x = words(ids);
        const Tensor placed = x + sine_positions(ids.size(1), width, x);
        return norm(torch::dropout(placed, 0.1, is_training()));
    }

    nn::Embedding words = register_module("words", token_embedding(vocabulary, width));
    nn::LayerNorm norm = register_module("norm", layer_norm(width, epsilon));
};
TORCH_MODULE(Read);

struct Translator final : TranslationModel {
    Translator() : TranslationModel(vocabulary, tokens) {}

    Tensor forward(const Tensor& source, const Tensor& target) override {
        return head(layers->decode(read_target(target), layers->encode(read_source(source))));
    }

    Read read_source = register_module("read_source", Read());
    Read read_target = register_module("read_target", Read());
    EncoderDecoder layers = register_module("layers", EncoderDecoder(shape_of(), 6));
    nn::Linear head = register_module("head", linear_without_bias(width, vocabulary));
};

const Registered<Translator> registered(
    {"attention_is_all_you_need_pytorch",
     "language",
     "Transformer base without shared words, 32 tokens to 32",
     58'727'936,
     "jadore801120's implementation, as in TorchBench, with the 9,521 words of its Multi30k "
     "and nothing shared: from its sizes",
     2,
     2});

}  // namespace vigil_bench::zoo::attention_is_all_you_need_pytorch
