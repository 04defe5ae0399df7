#include "worker/bench/zoo/blocks/regions/region_detector.hpp"

namespace vigil_bench::zoo::mask_rcnn_r50_fpn {

std::shared_ptr<Network> make() {
    return make_region_detector({.trunk = RegionTrunk::pyramid, .masks = true});
}

const Registered<Network> registered(
    {"mask_rcnn_r50_fpn",
     "detection",
     "Mask R-CNN on ResNet-50, feature pyramid, 320 x 320, 128 regions",
     44'343'216,
     "detectron2's mask_rcnn_R_50_FPN, from its sizes; He et al. 2017",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::mask_rcnn_r50_fpn
