#include "worker/bench/zoo/blocks/residual_net.hpp"

namespace vigil_bench::zoo::resnet18 {

static std::shared_ptr<Network> make() {
    ResidualShape shape;
    shape.block = ResidualShape::Block::basic;
    shape.counts = {2, 2, 2, 2};
    return make_residual_classifier(shape);
}

static const Registered registered{
    {"resnet18", "classification", "ResNet-18, 224 x 224", 11'689'512, 1, 4, &make}};

}  // namespace vigil_bench::zoo::resnet18
