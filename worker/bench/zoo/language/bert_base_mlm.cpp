#include "worker/bench/zoo/blocks/bert.hpp"

namespace vigil_bench::zoo::bert_base_mlm {

std::shared_ptr<Network> make() {
    return make_masked_bert(BertShape());
}

const Registered<Network> registered(
    {"bert_base_mlm",
     "language",
     "BERT base with its head for masked words, 128 tokens",
     109'514'298,
     "Transformers BertForMaskedLM of the default BertConfig, as in TorchBench: from its sizes",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::bert_base_mlm
