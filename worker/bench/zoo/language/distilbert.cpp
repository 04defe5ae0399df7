#include "worker/bench/zoo/blocks/bert.hpp"

// Sanh et al. 2019, "DistilBERT, a distilled version of BERT".

namespace vigil_bench::zoo::distilbert {

std::shared_ptr<Network> make() {
    BertShape shape;
    shape.layer_count = 6;
    shape.types = BertShape::Types::none;
    shape.head = BertShape::BertHead::plain;
    return make_bert(shape);
}

const Registered<Network> registered(
    {"distilbert",
     "language",
     "DistilBERT, 128 tokens",
     66'362'880,
     "Transformers distilbert-base-uncased; Sanh et al. 2019, Table 3 (66 M)",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::distilbert
