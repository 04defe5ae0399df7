#include "worker/bench/zoo/blocks/residual_net.hpp"

namespace vigil_bench::zoo::resnet152 {

std::shared_ptr<Network> make() {
    return make_residual_classifier({ResidualShape::Block::bottleneck, {3, 8, 36, 3}});
}

const Registered<Network> registered(
    {"resnet152",
     "classification",
     "ResNet-152, 224 x 224",
     60'192'808,
     "torchvision resnet152; He et al. 2015, Table 1",
     1,
     4},
    &make);

}  // namespace vigil_bench::zoo::resnet152
