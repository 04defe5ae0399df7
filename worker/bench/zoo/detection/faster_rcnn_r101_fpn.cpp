#include "worker/bench/zoo/blocks/regions/region_detector.hpp"

namespace vigil_bench::zoo::faster_rcnn_r101_fpn {

std::shared_ptr<Network> make() {
    return make_region_detector({.trunk = RegionTrunk::pyramid, .fourth_stage = 23});
}

const Registered<Network> registered(
    {"faster_rcnn_r101_fpn",
     "detection",
     "Faster R-CNN on ResNet-101, feature pyramid, 320 x 320, 128 regions",
     60'639'840,
     "detectron2's faster_rcnn_R_101_FPN, from its sizes; Ren et al. 2015",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::faster_rcnn_r101_fpn
