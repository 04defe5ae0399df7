#include "worker/bench/zoo/blocks/llama.hpp"

namespace vigil_bench::zoo::smollm_decode {

std::shared_ptr<Network> make() {
    return make_llama({49152, 576, 9, 3, 64, 1536, 30, 1e5}, LlamaStage::decode, 512);
}

const Registered<Network> registered(
    {"smollm_decode",
     "decoding",
     "SmolLM2 135M, one token after 512",
     134'515'008,
     "Transformers HuggingFaceTB/SmolLM2-135M (135 M): from its sizes",
     4,
     0},
    &make);

}  // namespace vigil_bench::zoo::smollm_decode
