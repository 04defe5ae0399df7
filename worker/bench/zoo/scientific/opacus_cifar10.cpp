#include "worker/bench/zoo/blocks/per_sample.hpp"

namespace vigil_bench::zoo::opacus_cifar10 {

std::shared_ptr<Network> make() {
    return make_private_resnet(10);
}

const Registered<Network> registered(
    {"opacus_cifar10",
     "scientific",
     "ResNet-18 with group norm, limited gradients of each row, 32 x 32",
     11'181'642,
     "TorchBench opacus_cifar10: torchvision resnet18 with group norm and 10 classes",
     4,
     4},
    &make);

}  // namespace vigil_bench::zoo::opacus_cifar10
