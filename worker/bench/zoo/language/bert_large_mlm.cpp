#include "worker/bench/zoo/blocks/bert.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo::bert_large_mlm {

std::shared_ptr<Network> make() {
    BertShape shape;
    shape.width = shape.embedding = 1024;
    shape.layer_count = 24;
    shape.heads = 16;
    return make_masked_bert(shape);
}

const Registered<Network> registered(
    {"bert_large_mlm",
     "language",
     "BERT large with its head for masked words, 128 tokens",
     335'174'458,
     "Transformers BertForMaskedLM, 24 layers of 1024, as in TorchBench: from its sizes",
     1,
     1},
    &make);

const Sized sized({"bert_large_mlm", "128 tokens", "512 tokens"});

}  // namespace vigil_bench::zoo::bert_large_mlm
