#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Radford et al. 2019, "Language models are unsupervised multitask learners", the smallest.

namespace vigil_bench::zoo::gpt2 {

constexpr std::int64_t vocabulary = 50257;
constexpr std::int64_t context = 1024;
constexpr std::int64_t tokens = 128;
constexpr std::int64_t width = 768;
constexpr int layer_count = 12;

struct Gpt2 final : LanguageModel {
    Gpt2() : LanguageModel(vocabulary, tokens) {
        LayerShape shape(width, 12);
        shape.norm = NormPlace::before;
        shape.projections = Projections::fused;
        for (int i = 0; i < layer_count; ++i) layers->push_back(EncoderLayer(shape));
        register_module("layers", layers);
        norm = register_module("norm", layer_norm(width));
    }

    Tensor forward(const Tensor& ids) override {
        Tensor x = words(ids) + positions->weight.narrow(0, 0, ids.size(1));
        x = torch::dropout(x, 0.1, is_training());
        const Tensor bias = causal_bias(ids.size(1), words->weight.detach());
        for (const auto& layer : *layers) x = layer->as<EncoderLayer>()->forward(x, bias);
        return tied_scores(norm(x), words);
    }

    nn::Embedding words = register_module("words", token_embedding(vocabulary, width));
    nn::Embedding positions = register_module("positions", token_embedding(context, width));
    nn::ModuleList layers;
    nn::LayerNorm norm = nullptr;
};

const Registered<Gpt2> registered(
    {"gpt2",
     "language",
     "GPT-2 small, 128 tokens",
     124'439'808,
     "Transformers gpt2; Radford et al. 2019, Table 2 (stated as 117 M, corrected to 124 M by its "
     "authors)",
     1,
     2});

}  // namespace vigil_bench::zoo::gpt2
