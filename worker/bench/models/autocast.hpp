#pragma once

#include <c10/core/DeviceType.h>

namespace vigil_bench {

/// While it lives and is on, LibTorch chooses bfloat16 for the device's operators that gain by it.
/// On a GPU too, where float16 is usual: it has float32's range, so that training needs no scaling
/// of the loss.
class Autocast {
  public:
    /// @param device  CPU or CUDA
    Autocast(bool is_on, c10::DeviceType device);
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
