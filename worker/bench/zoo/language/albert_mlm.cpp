#include "worker/bench/zoo/blocks/bert.hpp"

namespace vigil_bench::zoo::albert_mlm {

std::shared_ptr<Network> make() {
    BertShape shape;
    shape.vocabulary = 30000;
    shape.embedding = 128;
    shape.layers = BertShape::Layers::shared;
    return make_masked_bert(shape);
}

const Registered<Network> registered(
    {"albert_mlm",
     "language",
     "ALBERT base with its head for masked words, 128 tokens",
     11'221'680,
     "Transformers AlbertForMaskedLM of albert-base-v2, as in TorchBench: from its sizes",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::albert_mlm
