#include "worker/bench/zoo/blocks/bert.hpp"

#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo {

BertEncoderImpl::BertEncoderImpl(const BertShape& shape) : shape_(shape) {
    words_ = register_module("words", token_embedding(shape.vocabulary, shape.embedding));
    positions_ = register_module("positions", token_embedding(shape.positions, shape.embedding));
    norm_ = register_module("norm", layer_norm(shape.embedding, shape.epsilon));
    if (shape.types != BertShape::Types::none) {
        const std::int64_t count = shape.types == BertShape::Types::two ? 2 : 1;
        types_ = register_module("types", token_embedding(count, shape.embedding));
    }
    if (shape.head == BertShape::BertHead::pooled) {
        pooler_ = register_module("pooler", nn::Linear(shape.width, shape.width));
    }
    if (shape.embedding != shape.width) {
        project_ = register_module("project", nn::Linear(shape.embedding, shape.width));
    }
    LayerShape layer(shape.width, shape.heads);
    layer.epsilon = shape.epsilon;
    layer.mixer = shape.mixer;
    const bool shared = shape.layers == BertShape::Layers::shared;
    for (std::int64_t i = 0; i < (shared ? 1 : shape.layer_count); ++i) {
        layers_->push_back(EncoderLayer(layer));
    }
    register_module("layers", layers_);
    if (shape.head != BertShape::BertHead::masked_words) return;
    transform_ = register_module("transform", nn::Linear(shape.width, shape.embedding));
    head_norm_ = register_module("head_norm", layer_norm(shape.embedding, shape.epsilon));
    bias_ = register_parameter("bias", torch::zeros({shape.vocabulary}));
}

Tensor BertEncoderImpl::forward(const Tensor& ids) {
    Tensor x = words_(ids) + positions_->weight.narrow(0, shape_.first_position, ids.size(1));
    if (types_) x = x + types_->weight[0];
    x = torch::dropout(norm_(x), 0.1, is_training());
    if (project_) x = project_(x);
    for (std::int64_t i = 0; i < shape_.layer_count; ++i) {
        const auto own = static_cast<std::size_t>(i) % layers_->size();
        x = layers_[own]->as<EncoderLayer>()->forward(x);
    }
    return x;
}

Tensor BertEncoderImpl::pool(const Tensor& hidden) {
    return pooler_ ? pooler_(hidden.select(1, 0)).tanh() : Tensor();
}

Tensor BertEncoderImpl::scores(const Tensor& hidden) {
    if (transform_) {
        return tied_scores(head_norm_(torch::gelu(transform_(hidden))), words_) + bias_;
    }
    if (!project_) return tied_scores(hidden, words_);
    return tied_scores(torch::matmul(hidden, project_->weight), words_);
}

namespace {

/// Of a model that is fed as much as BERT, or less than it was published with.
std::int64_t tokens_of(const BertShape& shape) {
    const bool is_usual = shape.tokens == BertShape().tokens;
    return is_usual ? size_of_inputs(shape.tokens, 512) : shape.tokens;
}

struct Bert final : LanguageModel {
    explicit Bert(const BertShape& shape)
        : LanguageModel(shape.vocabulary, tokens_of(shape)),
          encoder(register_module("encoder", BertEncoder(shape))) {}

    Tensors answer(const Tensors& inputs) override {
        const Tensor hidden = encoder(inputs[0]);
        const Tensor pooled = encoder->pool(hidden);
        if (!pooled.defined()) return {encoder->scores(hidden)};
        return {encoder->scores(hidden), pooled};
    }

    Tensor forward(const Tensor& ids) override { return encoder->scores(encoder(ids)); }

    BertEncoder encoder;
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
