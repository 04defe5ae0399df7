#include "worker/bench/zoo/blocks/residual_net.hpp"

namespace vigil_bench::zoo::resnet50 {

static std::shared_ptr<Network> make() {
    ResidualShape shape;
    shape.block = ResidualShape::Block::bottleneck;
    shape.counts = {3, 4, 6, 3};
    return make_residual_classifier(shape);
}

static const Registered registered{
    {"resnet50", "classification", "ResNet-50, 224 x 224", 25'557'032, 1, 4, &make}};

}  // namespace vigil_bench::zoo::resnet50
