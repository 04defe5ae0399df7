#include "worker/bench/zoo/blocks/bert.hpp"

// Lan et al. 2019, "ALBERT: a lite BERT", Table 1.

namespace vigil_bench::zoo::albert {

std::shared_ptr<Network> make() {
    BertShape shape;
    shape.vocabulary = 30000;
    shape.embedding = 128;
    shape.layers = BertShape::Layers::shared;
    return make_bert(shape);
}

const Registered<Network> registered(
    {"albert",
     "language",
     "ALBERT base, 128 tokens",
     11'683'584,
     "Transformers albert-base-v2; Lan et al. 2019, Table 1 (12 M)",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::albert
