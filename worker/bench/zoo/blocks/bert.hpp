#pragma once

#include "worker/bench/zoo/blocks/transformer.hpp"

// Devlin et al. 2018, "BERT", with the changes of its heirs DistilBERT and ALBERT.

namespace vigil_bench::zoo {

struct BertShape {
    enum class Layers { own, shared };  ///< shared: one layer is applied again and again (ALBERT)
    enum class Extras { pooler_and_types, none };  ///< none: DistilBERT

    std::int64_t vocabulary = 30522;
    std::int64_t width = 768;
    std::int64_t embedding = 768;  ///< other than width: projected to it (ALBERT)
    std::int64_t layer_count = 12;
    std::int64_t heads = 12;
    Layers layers = Layers::own;
    Extras extras = Extras::pooler_and_types;
};

/// The encoder with its pooler, trained to name hidden tokens by its own embedding (tied, so
/// without further parameters); 128 tokens.
std::shared_ptr<Network> make_bert(const BertShape& shape);

}  // namespace vigil_bench::zoo
