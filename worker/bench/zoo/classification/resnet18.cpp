#include "worker/bench/zoo/blocks/residual_net.hpp"

namespace vigil_bench::zoo::resnet18 {

std::shared_ptr<Network> make() {
    return make_residual_classifier({ResidualShape::Block::basic, {2, 2, 2, 2}});
}

const Registered<Network> registered(
    {"resnet18",
     "classification",
     "ResNet-18, 224 x 224",
     11'689'512,
     "torchvision resnet18; He et al. 2015, Table 1",
     1,
     4},
    &make);

}  // namespace vigil_bench::zoo::resnet18
