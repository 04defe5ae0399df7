#include "worker/bench/zoo/blocks/t5.hpp"

namespace vigil_bench::zoo::t5_base {

std::shared_ptr<Network> make() {
    return make_t5({768, 12, 12, 512});
}

const Registered<Network> registered(
    {"t5_base",
     "language",
     "T5 base, 512 tokens to 512",
     222'903'552,
     "Transformers t5-base; Raffel et al. 2019, section 3.7 (220 M)",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::t5_base
