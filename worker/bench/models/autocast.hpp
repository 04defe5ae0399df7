#pragma once

#include <c10/core/DeviceType.h>

#include "worker/bench/arguments/arguments.hpp"

namespace vigil_bench {

/// While it lives, LibTorch chooses bfloat16 (amp) or float16 (amp_fp16) for the device's operators
/// that gain by it; any other precision leaves all as it is. bfloat16 has float32's range: training
/// needs no scaling of the loss.
class Autocast {
  public:
    /// @param device  CPU or CUDA
    Autocast(Precision precision, c10::DeviceType device);
    ~Autocast();
    Autocast(const Autocast&) = delete;
    Autocast& operator=(const Autocast&) = delete;

  private:
    bool is_on_;
    c10::DeviceType device_;
};

/// While it lives, autocast keeps no converted weights: a trace must hold their conversion.
class NoAutocastCache {
  public:
    NoAutocastCache();
    ~NoAutocastCache();
    NoAutocastCache(const NoAutocastCache&) = delete;
    NoAutocastCache& operator=(const NoAutocastCache&) = delete;

  private:
    bool was_on_;
};

}  // namespace vigil_bench
