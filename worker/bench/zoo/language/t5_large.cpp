#include "worker/bench/zoo/blocks/t5.hpp"

namespace vigil_bench::zoo::t5_large {

std::shared_ptr<Network> make() {
    return make_t5({1024, 16, 24, 512});
}

const Registered<Network> registered(
    {"t5_large",
     "language",
     "T5 large, 512 tokens to 512",
     737'668'096,
     "Transformers t5-large; Raffel et al. 2019, section 3.7 (770 M)",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::t5_large
