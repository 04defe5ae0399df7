#include "worker/bench/zoo/blocks/llama.hpp"

namespace vigil_bench::zoo::mixtral_small {

std::shared_ptr<Network> make() {
    return make_llama({32000, 512, 4, 1, 128, 1792, 8, 1e6, 8, false}, LlamaStage::prefill, 128);
}

const Registered<Network> registered(
    {"mixtral_small",
     "decoding",
     "Mixtral at an eighth, 8 experts, reads 128 tokens",
     214'213'120,
     "Jiang et al. 2024, \"Mixtral of experts\", Table 1, with an eighth of its width, heads, "
     "hidden width and a quarter of its layers: from its sizes",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::mixtral_small
