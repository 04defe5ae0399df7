#include "worker/bench/zoo/blocks/bert.hpp"

#include "worker/bench/zoo/blocks/language_model.hpp"

namespace vigil_bench::zoo {

namespace {

constexpr std::int64_t bert_tokens = 128;
constexpr std::int64_t bert_positions = 512;

class Bert final : public LanguageModel {
  public:
    explicit Bert(const BertShape& shape)
        : LanguageModel(shape.vocabulary, bert_tokens), shape_(shape) {
        words_ = register_module("words", token_embedding(shape.vocabulary, shape.embedding));
        positions_ = register_module("positions", token_embedding(bert_positions, shape.embedding));
        norm_ = register_module("norm", layer_norm(shape.embedding, 1e-12));
        if (shape.types == BertShape::Types::two) {
            types_ = register_module("types", token_embedding(2, shape.embedding));
        }
        if (shape.head == BertShape::BertHead::pooled) {
            pooler_ = register_module("pooler", nn::Linear(shape.width, shape.width));
        }
        if (shape.embedding != shape.width) {
            project_ = register_module("project", nn::Linear(shape.embedding, shape.width));
        }
        LayerShape layer(shape.width, shape.heads);
        layer.epsilon = 1e-12;
        const bool shared = shape.layers == BertShape::Layers::shared;
        for (std::int64_t i = 0; i < (shared ? 1 : shape.layer_count); ++i) {
            layers_->push_back(EncoderLayer(layer));
        }
        register_module("layers", layers_);
        if (shape.head != BertShape::BertHead::masked_words) return;
        transform_ = register_module("transform", nn::Linear(shape.width, shape.embedding));
        head_norm_ = register_module("head_norm", layer_norm(shape.embedding, 1e-12));
        bias_ = register_parameter("bias", torch::zeros({shape.vocabulary}));
    }

    Tensors answer(const Tensors& inputs) override {
        const Tensor hidden = encode(inputs[0]);
        if (!pooler_) return {scores(hidden)};
        return {scores(hidden), pooler_(hidden.select(1, 0)).tanh()};
    }

    Tensor forward(const Tensor& ids) override { return scores(encode(ids)); }

  private:
    Tensor encode(const Tensor& ids) {
        Tensor x = words_(ids) + positions_->weight.narrow(0, 0, ids.size(1));
        if (types_) x = x + types_->weight[0];
        x = torch::dropout(norm_(x), 0.1, is_training());
        if (project_) x = project_(x);
        for (std::int64_t i = 0; i < shape_.layer_count; ++i) {
            const auto own = static_cast<std::size_t>(i) % layers_->size();
            x = layers_[own]->as<EncoderLayer>()->forward(x);
        }
        return x;
    }

    Tensor scores(const Tensor& hidden) {
        if (transform_) {
            return tied_scores(head_norm_(torch::gelu(transform_(hidden))), words_) + bias_;
        }
        if (!project_) return tied_scores(hidden, words_);
        return tied_scores(torch::matmul(hidden, project_->weight), words_);
    }

    BertShape shape_;
    nn::Embedding words_ = nullptr;
    nn::Embedding positions_ = nullptr;
    nn::Embedding types_ = nullptr;
    nn::LayerNorm norm_ = nullptr;
    nn::Linear project_ = nullptr;
    nn::ModuleList layers_;
    nn::Linear pooler_ = nullptr;
    nn::Linear transform_ = nullptr;
    nn::LayerNorm head_norm_ = nullptr;
    Tensor bias_;
};

}  // namespace

std::shared_ptr<Network> make_bert(const BertShape& shape) {
    return std::make_shared<Bert>(shape);
}

std::shared_ptr<Network> make_masked_bert(BertShape shape) {
    shape.head = BertShape::BertHead::masked_words;
    return make_bert(shape);
}

}  // namespace vigil_bench::zoo
