#include "worker/bench/zoo/blocks/language_model.hpp"

namespace vigil_bench::zoo {

namespace {

Tensor token_loss(const Tensor& scores, const Tensor& ids) {
    return torch::cross_entropy_loss(scores.flatten(0, 1), ids.flatten());
}

}  // namespace

Tensors LanguageModel::make_inputs(std::int64_t batch) const {
    const auto ids = [&](std::int64_t count) {
        return torch::randint(count, {batch, tokens_}, torch::kLong);
    };
    return {ids(vocabulary_), ids(classes_)};
}

Tensors LanguageModel::answer(const Tensors& inputs) {
    return {forward(inputs[0])};
}

Tensor LanguageModel::loss(const Tensors& inputs) {
    return token_loss(forward(inputs[0]), inputs[1]);
}

Tensors TranslationModel::make_inputs(std::int64_t batch) const {
    const auto ids = [&] { return torch::randint(vocabulary_, {batch, tokens_}, torch::kLong); };
    return {ids(), ids(), ids()};
}

Tensors TranslationModel::answer(const Tensors& inputs) {
    return {forward(inputs[0], inputs[1])};
}

Tensor TranslationModel::loss(const Tensors& inputs) {
    return token_loss(forward(inputs[0], inputs[1]), inputs[2]);
}

nn::Embedding token_embedding(std::int64_t count, std::int64_t width) {
    return nn::Embedding(
        nn::EmbeddingOptions(count, width)._weight(torch::randn({count, width}).mul_(0.02)));
}

Tensor tied_scores(const Tensor& hidden, const nn::Embedding& embedding) {
    return torch::linear(hidden, embedding->weight);
}

}  // namespace vigil_bench::zoo
