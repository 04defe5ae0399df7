#include "worker/bench/zoo/blocks/vision_transformer.hpp"

namespace vigil_bench::zoo::vit_b_16 {

std::shared_ptr<Network> make() {
    return make_vision_transformer({});
}

const Registered<Network> registered(
    {"vit_b_16",
     "classification",
     "Vision transformer B/16, 224 x 224",
     86'567'656,
     "torchvision vit_b_16; Dosovitskiy et al. 2020, Table 1 (86 M)",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::vit_b_16
