#include "worker/bench/zoo/blocks/yolo.hpp"

namespace vigil_bench::zoo::yolov3_spp {

std::shared_ptr<Network> make() {
    return make_yolo(true);
}

const Registered<Network> registered(
    {"yolov3_spp",
     "detection",
     "YOLOv3-SPP, 416 x 416",
     62'998'749,
     "yolov3-spp.cfg of Ultralytics, as in TorchBench; Redmon and Farhadi 2018",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::yolov3_spp
