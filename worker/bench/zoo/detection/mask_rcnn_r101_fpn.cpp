#include "worker/bench/zoo/blocks/regions/region_detector.hpp"

namespace vigil_bench::zoo::mask_rcnn_r101_fpn {

std::shared_ptr<Network> make() {
    return make_region_detector({.trunk = RegionTrunk::pyramid, .fourth_stage = 23, .masks = true});
}

const Registered<Network> registered(
    {"mask_rcnn_r101_fpn",
     "detection",
     "Mask R-CNN on ResNet-101, feature pyramid, 320 x 320, 128 regions",
     63'283'120,
     "detectron2's mask_rcnn_R_101_FPN, from its sizes; He et al. 2017",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::mask_rcnn_r101_fpn
