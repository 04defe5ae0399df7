#include "worker/bench/zoo/blocks/vision_transformer.hpp"

namespace vigil_bench::zoo::vit_g_14 {

std::shared_ptr<Network> make() {
    VisionShape shape;
    shape.width = 1408;
    shape.patch = 14;
    shape.layer_count = 40;
    shape.heads = 16;
    shape.hidden = 6144;
    return make_vision_transformer(shape);
}

const Registered<Network> registered(
    {"vit_g_14",
     "classification",
     "Vision transformer g/14, 224 x 224",
     1'012'611'432,
     "timm vit_giant_patch14_224 (1,012.61 M); Zhai et al. 2021, Table 2",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::vit_g_14
