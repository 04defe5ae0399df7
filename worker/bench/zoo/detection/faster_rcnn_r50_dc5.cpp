#include "worker/bench/zoo/blocks/regions/region_detector.hpp"

namespace vigil_bench::zoo::faster_rcnn_r50_dc5 {

std::shared_ptr<Network> make() {
    return make_region_detector({.trunk = RegionTrunk::dilated});
}

const Registered<Network> registered(
    {"faster_rcnn_r50_dc5",
     "detection",
     "Faster R-CNN on ResNet-50, dilated C5, 320 x 320, 128 regions",
     165'581'468,
     "detectron2's faster_rcnn_R_50_DC5, from its sizes; Ren et al. 2015",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::faster_rcnn_r50_dc5
