#include "worker/bench/zoo/blocks/bert.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo::bert_base {

std::shared_ptr<Network> make() {
    return make_bert(BertShape());
}

const Registered<Network> registered(
    {"bert_base",
     "language",
     "BERT base, uncased, 128 tokens",
     109'482'240,
     "Transformers bert-base-uncased; Devlin et al. 2018, section 3 (110 M)",
     1,
     2},
    &make);

const Sized sized({"bert_base", "128 tokens", "512 tokens"});

}  // namespace vigil_bench::zoo::bert_base
