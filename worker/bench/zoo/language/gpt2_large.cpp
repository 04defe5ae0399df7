#include "worker/bench/zoo/blocks/gpt2.hpp"
#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo::gpt2_large {

std::shared_ptr<Network> make() {
    return make_gpt2({1280, 20, 36, 512});
}

const Registered<Network> registered(
    {"gpt2_large",
     "language",
     "GPT-2 large, 512 tokens",
     774'030'080,
     "Transformers gpt2-large; Radford et al. 2019, Table 2 (774 M in its authors' correction)",
     1,
     1},
    &make);

const Sized sized({"gpt2_large", "512 tokens", "1,024 tokens"});

}  // namespace vigil_bench::zoo::gpt2_large
