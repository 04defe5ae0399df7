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
        layers = register_module("layers", EncoderDecoder(LayerShape(width, 12), layer_count));
    }

    Tensor embed(const Tensor& ids, std::size_t side) {
        const Tensor placed = words(ids) + positions[side]->weight.narrow(0, 2, ids.size(1));
        return torch::dropout(norms[side](placed), 0.1, is_training());
    }

    Tensor forward(const Tensor& source, const Tensor& target) override {
        const Tensor memory = layers->encode(embed(source, 0));
        return tied_scores(layers->decode(embed(target, 1), memory), words);
    }

    nn::Embedding words = register_module("words", token_embedding(vocabulary, width));
    std::vector<nn::Embedding> positions;
    std::vector<nn::LayerNorm> norms;
    EncoderDecoder layers = nullptr;
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
