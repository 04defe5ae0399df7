#include "worker/bench/zoo/blocks/llama.hpp"

namespace vigil_bench::zoo::smollm_prefill {

std::shared_ptr<Network> make() {
    return make_llama({49152, 576, 9, 3, 64, 1536, 30, 1e5}, LlamaStage::prefill, 512);
}

const Registered<Network> registered(
    {"smollm_prefill",
     "decoding",
     "SmolLM2 135M, reads 512 tokens",
     134'515'008,
     "Transformers HuggingFaceTB/SmolLM2-135M (135 M): from its sizes",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::smollm_prefill
