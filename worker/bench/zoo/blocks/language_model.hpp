#pragma once

#include "worker/bench/zoo/network.hpp"

// What the language models are fed, and how they are trained.

namespace vigil_bench::zoo {

/// Scores of the next or of a hidden token at every place, [b,n] -> [b,n,vocabulary].
class LanguageModel : public Network {
  public:
    LanguageModel(std::int64_t vocabulary, std::int64_t tokens)
        : LanguageModel(vocabulary, tokens, vocabulary) {}

    /// @param classes  what is scored, where it is not the vocabulary
    LanguageModel(std::int64_t vocabulary, std::int64_t tokens, std::int64_t classes)
        : vocabulary_(vocabulary), tokens_(tokens), classes_(classes) {}

    virtual Tensor forward(const Tensor& ids) = 0;

    Tensors make_inputs(std::int64_t batch) const override;
    Tensors answer(const Tensors& inputs) override;
    Tensor loss(const Tensors& inputs) override;

  private:
    std::int64_t vocabulary_;
    std::int64_t tokens_;
    std::int64_t classes_;
};

/// Reads one text and scores the tokens of another, [b,n], [b,m] -> [b,m,vocabulary].
class TranslationModel : public Network {
  public:
    TranslationModel(std::int64_t vocabulary, std::int64_t tokens)
        : vocabulary_(vocabulary), tokens_(tokens) {}

    virtual Tensor forward(const Tensor& source, const Tensor& target) = 0;

    Tensors make_inputs(std::int64_t batch) const override;
    Tensors answer(const Tensors& inputs) override;
    Tensor loss(const Tensors& inputs) override;

  private:
    std::int64_t vocabulary_;
    std::int64_t tokens_;
};

/// An embedding whose rows start at a standard deviation of 0.02, as in BERT and its heirs.
nn::Embedding token_embedding(std::int64_t count, std::int64_t width);

/// Scores of every token of the embedding's vocabulary: its transpose is the last matrix.
Tensor tied_scores(const Tensor& hidden, const nn::Embedding& embedding);

}  // namespace vigil_bench::zoo
