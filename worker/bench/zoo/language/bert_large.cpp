#include "worker/bench/zoo/blocks/bert.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo::bert_large {

std::shared_ptr<Network> make() {
    BertShape shape;
    shape.width = shape.embedding = 1024;
    shape.layer_count = 24;
    shape.heads = 16;
    return make_bert(shape);
}

const Registered<Network> registered(
    {"bert_large",
     "language",
     "BERT large, uncased, 128 tokens",
     335'141'888,
     "Transformers bert-large-uncased; Devlin et al. 2018, section 3 (340 M)",
     1,
     1},
    &make);

const Sized sized({"bert_large", "128 tokens", "512 tokens"});

}  // namespace vigil_bench::zoo::bert_large
