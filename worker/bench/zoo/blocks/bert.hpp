#pragma once

#include "worker/bench/zoo/blocks/transformer.hpp"

// Devlin et al. 2018, "BERT", with the changes of its heirs DistilBERT and ALBERT.

namespace vigil_bench::zoo {

struct BertShape {
    enum class Layers { own, shared };  ///< shared: one layer is applied again and again (ALBERT)
    enum class Types { two, none };     ///< of sentences; none: DistilBERT
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
};

/// The encoder, trained to name hidden tokens; 128 tokens.
std::shared_ptr<Network> make_bert(const BertShape& shape);

/// The same with its head for masked words, as Transformers and TorchBench have it.
std::shared_ptr<Network> make_masked_bert(BertShape shape);

}  // namespace vigil_bench::zoo
