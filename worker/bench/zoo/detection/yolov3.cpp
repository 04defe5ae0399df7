#include "worker/bench/zoo/blocks/yolo.hpp"

namespace vigil_bench::zoo::yolov3 {

std::shared_ptr<Network> make() {
    return make_yolo(false);
}

const Registered<Network> registered(
    {"yolov3",
     "detection",
     "YOLOv3, 416 x 416",
     61'949'149,
     "official yolov3.weights: 62,001,757 numbers, 52,608 of them running means and variances; "
     "Redmon and Farhadi 2018",
     1,
     1},
    &make);

}  // namespace vigil_bench::zoo::yolov3
