#include "worker/bench/zoo/blocks/bert.hpp"

namespace vigil_bench::zoo::distilbert_mlm {

std::shared_ptr<Network> make() {
    BertShape shape;
    shape.layer_count = 6;
    shape.types = BertShape::Types::none;
    return make_masked_bert(shape);
}

const Registered<Network> registered(
    {"distilbert_mlm",
     "language",
     "DistilBERT with its head for masked words, 128 tokens",
     66'985'530,
     "Transformers DistilBertForMaskedLM of distilbert-base-uncased, as in TorchBench: from its "
     "sizes",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::distilbert_mlm
