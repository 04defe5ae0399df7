#include "worker/bench/zoo/blocks/llama.hpp"

namespace vigil_bench::zoo::llama_1b_decode {

std::shared_ptr<Network> make() {
    return make_llama({128256, 2048, 32, 8, 64, 8192, 16, 5e5}, LlamaStage::decode, 512);
}

const Registered<Network> registered(
    {"llama_1b_decode",
     "decoding",
     "Llama 3.2 1B, one token after 512",
     1'235'814'400,
     "Transformers meta-llama/Llama-3.2-1B (1.23 B): from its sizes",
     1,
     0},
    &make);

}  // namespace vigil_bench::zoo::llama_1b_decode
