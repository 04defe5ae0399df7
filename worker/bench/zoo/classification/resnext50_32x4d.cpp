#include "worker/bench/zoo/blocks/residual_net.hpp"

namespace vigil_bench::zoo::resnext50_32x4d {

std::shared_ptr<Network> make() {
    return make_residual_classifier({ResidualShape::Block::bottleneck, {3, 4, 6, 3}, 32, 4});
}

const Registered<Network> registered(
    {"resnext50_32x4d",
     "classification",
     "ResNeXt-50, 32 groups of width 4, 224 x 224",
     25'028'904,
     "torchvision resnext50_32x4d; Xie et al. 2016, Table 1 (25.0 M)",
     1,
     4},
    &make);

}  // namespace vigil_bench::zoo::resnext50_32x4d
