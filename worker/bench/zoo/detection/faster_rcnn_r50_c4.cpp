#include "worker/bench/zoo/blocks/regions/region_detector.hpp"

namespace vigil_bench::zoo::faster_rcnn_r50_c4 {

std::shared_ptr<Network> make() {
    return make_region_detector({.trunk = RegionTrunk::c4});
}

const Registered<Network> registered(
    {"faster_rcnn_r50_c4",
     "detection",
     "Faster R-CNN on ResNet-50, C4, 320 x 320, 128 regions",
     33'791'644,
     "detectron2's faster_rcnn_R_50_C4, from its sizes; Ren et al. 2015",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::faster_rcnn_r50_c4
