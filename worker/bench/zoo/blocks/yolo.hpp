#pragma once

#include "worker/bench/zoo/network.hpp"

namespace vigil_bench::zoo {

/// Redmon and Farhadi 2018, "YOLOv3: an incremental improvement", on the 80 classes of COCO.
/// @param pools  with spatial pyramid pooling at the coarsest scale (He et al. 2014), as YOLOv3-SPP
std::shared_ptr<Network> make_yolo(bool pools);

}  // namespace vigil_bench::zoo
