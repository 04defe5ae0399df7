#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Lewis et al. 2019, "BART", base.

namespace vigil_bench::zoo::bart {

constexpr std::int64_t vocabulary = 50265;
constexpr std::int64_t position_count = 1026;  ///< 1024 behind an offset of 2
constexpr std::int64_t tokens = 128;
constexpr std::int64_t width = 768;
constexpr int layer_count = 6;

struct Bart final : TranslationModel {
    Bart() : TranslationModel(vocabulary, tokens) {
        for (const auto* side : {"encoder", "decoder"}) {
            positions.push_back(register_module(
                std::string(side) + "_positions", token_embedding(position_count, width)));
            norms.push_back(register_module(std::string(side) + "_norm", layer_norm(width)));
        }
        const LayerShape shape(width, 12);
        for (int i = 0; i < layer_count; ++i) {
            encoder->push_back(EncoderLayer(shape));
            decoder->push_back(DecoderLayer(shape));
        }
        register_module("encoder", encoder);
        register_module("decoder", decoder);
    }

    Tensor embed(const Tensor& ids, std::size_t side) {
        const Tensor placed = words(ids) + positions[side]->weight.narrow(0, 2, ids.size(1));
        return torch::dropout(norms[side](placed), 0.1, is_training());
    }

    Tensor forward(const Tensor& source, const Tensor& target) override {
        Tensor memory = embed(source, 0);
        for (const auto& layer : *encoder) memory = layer->as<EncoderLayer>()->forward(memory);
        const Tensor bias = causal_bias(target.size(1), memory.detach());
        Tensor x = embed(target, 1);
        for (const auto& layer : *decoder) {
            x = layer->as<DecoderLayer>()->forward(x, memory, bias);
        }
        return tied_scores(x, words);
    }

    nn::Embedding words = register_module("words", token_embedding(vocabulary, width));
    std::vector<nn::Embedding> positions;
    std::vector<nn::LayerNorm> norms;
    nn::ModuleList encoder;
    nn::ModuleList decoder;
};

const Registered<Bart> registered(
    {"bart",
     "language",
     "BART base, 128 tokens",
     139'420'416,
     "Transformers facebook/bart-base; Lewis et al. 2019",
     1,
     1});

}  // namespace vigil_bench::zoo::bart
