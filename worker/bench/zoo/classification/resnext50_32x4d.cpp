#include "worker/bench/zoo/blocks/residual_net.hpp"

namespace vigil_bench::zoo::resnext50_32x4d {

static std::shared_ptr<Network> make() {
    ResidualShape shape;
    shape.block = ResidualShape::Block::bottleneck;
    shape.counts = {3, 4, 6, 3};
    shape.groups = 32;
    shape.width_per_group = 4;
    return make_residual_classifier(shape);
}

static const Registered registered{
    {"resnext50_32x4d",
     "classification",
     "ResNeXt-50, 32 groups of width 4, 224 x 224",
     25'028'904,
     1,
     4,
     &make}};

}  // namespace vigil_bench::zoo::resnext50_32x4d
