#include "worker/bench/zoo/blocks/per_sample.hpp"

namespace vigil_bench::zoo::functorch_dp_cifar10 {

std::shared_ptr<Network> make() {
    return make_private_resnet(1000);
}

const Registered<Network> registered(
    {"functorch_dp_cifar10",
     "scientific",
     "ResNet-18 with group norm and 1000 classes, limited gradients of each row, 32 x 32",
     11'689'512,
     "TorchBench functorch_dp_cifar10: torchvision resnet18 with group norm",
     4,
     4},
    &make);

}  // namespace vigil_bench::zoo::functorch_dp_cifar10
