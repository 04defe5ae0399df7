#include "worker/bench/zoo/blocks/bert.hpp"
#include "worker/bench/zoo/sizes.hpp"

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

const Sized sized({"bert_base_mlm", "128 tokens", "512 tokens"});

}  // namespace vigil_bench::zoo::bert_base_mlm
