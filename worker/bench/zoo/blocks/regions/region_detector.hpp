#pragma once

#include "worker/bench/zoo/network.hpp"

// Ren et al. 2015, "Faster R-CNN", and He et al. 2017, "Mask R-CNN", on the 80 classes of COCO: a
// residual trunk, regions that a network proposes, and a head that reads each of them.

namespace vigil_bench::zoo {

/// Where regions are read from.
enum class RegionTrunk {
    c4,       ///< the fourth stage; the fifth is the head
    dilated,  ///< the fifth stage, as fine as the fourth
    pyramid   ///< a feature pyramid of four stages
};

struct RegionShape {
    RegionTrunk trunk = RegionTrunk::pyramid;
    std::int64_t fourth_stage = 6;  ///< blocks: 6 of ResNet-50, 23 of ResNet-101
    bool masks = false;
    /// Otherwise as torchvision has it: other strides and samples, 91 classes of which one is
    /// none, and a box for each of them.
    bool is_detectron = true;
};

/// Square pictures of 320 points, 128 regions in each, 32 detections.
std::shared_ptr<Network> make_region_detector(const RegionShape& shape);

}  // namespace vigil_bench::zoo
