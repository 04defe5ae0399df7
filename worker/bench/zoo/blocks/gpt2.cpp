#include "worker/bench/zoo/blocks/gpt2.hpp"

#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo {

namespace {

constexpr std::int64_t gpt2_vocabulary = 50257;
constexpr std::int64_t gpt2_context = 1024;

struct Gpt2 final : LanguageModel {
    explicit Gpt2(const Gpt2Shape& shape)
        : LanguageModel(gpt2_vocabulary, size_of_inputs(shape.tokens, gpt2_context)) {
        words = register_module("words", token_embedding(gpt2_vocabulary, shape.width));
        positions = register_module("positions", token_embedding(gpt2_context, shape.width));
        LayerShape layer(shape.width, shape.heads);
        layer.norm = NormPlace::before;
        layer.projections = Projections::fused;
        for (int i = 0; i < shape.layer_count; ++i) layers->push_back(EncoderLayer(layer));
        register_module("layers", layers);
        norm = register_module("norm", layer_norm(shape.width));
    }

    Tensor forward(const Tensor& ids) override {
        Tensor x = words(ids) + positions->weight.narrow(0, 0, ids.size(1));
        x = torch::dropout(x, 0.1, is_training());
        const Tensor bias = causal_bias(ids.size(1), words->weight.detach());
        for (const auto& layer : *layers) x = layer->as<EncoderLayer>()->forward(x, bias);
        return tied_scores(norm(x), words);
    }

    nn::Embedding words = nullptr;
    nn::Embedding positions = nullptr;
    nn::ModuleList layers;
    nn::LayerNorm norm = nullptr;
};

}  // namespace

std::shared_ptr<Network> make_gpt2(const Gpt2Shape& shape) {
    return std::make_shared<Gpt2>(shape);
}

}  // namespace vigil_bench::zoo
