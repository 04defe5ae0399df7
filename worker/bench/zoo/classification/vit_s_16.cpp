#include "worker/bench/zoo/blocks/vision_transformer.hpp"

namespace vigil_bench::zoo::vit_s_16 {

std::shared_ptr<Network> make() {
    return make_vision_transformer({384, 16, 12, 6, 1536});
}

const Registered<Network> registered(
    {"vit_s_16",
     "classification",
     "Vision transformer S/16, 224 x 224",
     22'050'664,
     "timm vit_small_patch16_224, 22.05 M",
     1,
     2},
    &make);

}  // namespace vigil_bench::zoo::vit_s_16
