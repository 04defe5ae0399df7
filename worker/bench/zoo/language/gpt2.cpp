#include "worker/bench/zoo/blocks/gpt2.hpp"

#include "worker/bench/zoo/sizes.hpp"

namespace vigil_bench::zoo::gpt2 {

std::shared_ptr<Network> make() {
    return make_gpt2({});
}

const Registered<Network> registered(
    {"gpt2",
     "language",
     "GPT-2 small, 128 tokens",
     124'439'808,
     "Transformers gpt2; Radford et al. 2019, Table 2 (stated as 117 M, corrected to 124 M by "
     "its authors)",
     1,
     2},
    &make);

const Sized sized({"gpt2", "128 tokens", "1,024 tokens"});

}  // namespace vigil_bench::zoo::gpt2
