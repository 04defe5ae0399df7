#include "worker/bench/zoo/blocks/residual_net.hpp"

namespace vigil_bench::zoo::resnet50 {

std::shared_ptr<Network> make() {
    return make_residual_classifier({ResidualShape::Block::bottleneck, {3, 4, 6, 3}});
}

const Registered<Network> registered(
    {"resnet50",
     "classification",
     "ResNet-50, 224 x 224",
     25'557'032,
     "torchvision resnet50; He et al. 2015, Table 1",
     1,
     4},
    &make);

}  // namespace vigil_bench::zoo::resnet50
