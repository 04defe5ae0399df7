#include "worker/bench/zoo/blocks/t5.hpp"

namespace vigil_bench::zoo::t5_small {

std::shared_ptr<Network> make() {
    return make_t5({512, 8, 6, 128});
}

const Registered<Network> registered(
    {"t5_small",
     "language",
     "T5 small, 128 tokens to 128",
     60'506'624,
     "Transformers t5-small; Raffel et al. 2019, section 3.7 (60 M)",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::t5_small
