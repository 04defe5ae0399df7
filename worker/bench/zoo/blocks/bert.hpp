#pragma once

#include "worker/bench/zoo/blocks/transformer.hpp"

// Devlin et al. 2018, "BERT", with the changes of its heirs DistilBERT, ALBERT and XLM-R.

namespace vigil_bench::zoo {

struct BertShape {
    enum class Layers { own, shared };    ///< shared: one layer is applied again and again (ALBERT)
    enum class Types { two, one, none };  ///< of sentences; none: DistilBERT, XLM-R
    /// What stands behind the encoder: scores by the words' own embedding, tied, with a pooler
    /// beside them or without; or the head for masked words, a layer and a norm before the scores.
    enum class BertHead { pooled, plain, masked_words };

    std::int64_t vocabulary = 30522;
    std::int64_t width = 768;
    std::int64_t embedding = 768;  ///< other than width: projected to it (ALBERT)
    std::int64_t layer_count = 12;
    std::int64_t heads = 12;
    Layers layers = Layers::own;
    Types types = Types::two;
    BertHead head = BertHead::pooled;
    std::int64_t tokens = 128;
    std::int64_t positions = 512;
    std::int64_t first_position = 0;  ///< of the first token
    double epsilon = 1e-12;
    Mixer mixer;  ///< empty: every token attends to every token
};

/// What is learned of each token, and the heads on it.
class BertEncoderImpl final : public nn::Module {
  public:
    explicit BertEncoderImpl(const BertShape& shape);

    /// [b,n] -> [b,n,width]
    Tensor forward(const Tensor& ids);

    /// Of the first token, [b,n,width] -> [b,width]; undefined: there is no pooler.
    Tensor pool(const Tensor& hidden);

    /// Of every word, [b,n,width] -> [b,n,vocabulary].
    Tensor scores(const Tensor& hidden);

  private:
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
TORCH_MODULE(BertEncoder);

/// The encoder, trained to name hidden tokens.
std::shared_ptr<Network> make_bert(const BertShape& shape);

/// The same with its head for masked words, as Transformers and TorchBench have it.
std::shared_ptr<Network> make_masked_bert(BertShape shape);

}  // namespace vigil_bench::zoo
