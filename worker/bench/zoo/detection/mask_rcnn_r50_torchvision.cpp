#include "worker/bench/zoo/blocks/regions/region_detector.hpp"

namespace vigil_bench::zoo::mask_rcnn_r50_torchvision {

std::shared_ptr<Network> make() {
    return make_region_detector({.masks = true, .is_detectron = false});
}

const Registered<Network> registered(
    {"mask_rcnn_r50_torchvision",
     "detection",
     "Mask R-CNN on ResNet-50, feature pyramid, 91 classes, 320 x 320, 128 regions",
     44'401'393,
     "torchvision maskrcnn_resnet50_fpn; He et al. 2017",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::mask_rcnn_r50_torchvision
