#include "worker/bench/zoo/blocks/regions/region_detector.hpp"

namespace vigil_bench::zoo::mask_rcnn_r101_c4 {

std::shared_ptr<Network> make() {
    return make_region_detector({.trunk = RegionTrunk::c4, .fourth_stage = 23, .masks = true});
}

const Registered<Network> registered(
    {"mask_rcnn_r101_c4",
     "detection",
     "Mask R-CNN on ResNet-101, C4, 320 x 320, 128 regions",
     54'849'516,
     "detectron2's mask_rcnn_R_101_C4, from its sizes; He et al. 2017",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::mask_rcnn_r101_c4
