#include "worker/bench/zoo/blocks/bert.hpp"

// Sanh et al. 2019, "DistilBERT, a distilled version of BERT".

namespace vigil_bench::zoo::distilbert {

std::shared_ptr<Network> make() {
    BertShape shape;
    shape.layer_count = 6;
    shape.extras = BertShape::Extras::none;
    return make_bert(shape);
}

const Registered<Network> registered(
    {"distilbert", "language", "DistilBERT, 128 tokens", 66'362'880, 1, 2}, &make);

}  // namespace vigil_bench::zoo::distilbert
