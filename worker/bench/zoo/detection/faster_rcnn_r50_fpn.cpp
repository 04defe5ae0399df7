#include "worker/bench/zoo/blocks/regions/region_detector.hpp"

namespace vigil_bench::zoo::faster_rcnn_r50_fpn {

std::shared_ptr<Network> make() {
    return make_region_detector({.trunk = RegionTrunk::pyramid});
}

const Registered<Network> registered(
    {"faster_rcnn_r50_fpn",
     "detection",
     "Faster R-CNN on ResNet-50, feature pyramid, 320 x 320, 128 regions",
     41'699'936,
     "detectron2's faster_rcnn_R_50_FPN, from its sizes; Ren et al. 2015",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::faster_rcnn_r50_fpn
