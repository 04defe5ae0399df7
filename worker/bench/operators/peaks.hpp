#pragma once

#include <functional>
#include <string>

#include <c10/core/ScalarType.h>

#include "worker/bench/operators/roofline.hpp"

namespace vigil_bench {

/// Multiplies square matrices and copies 128 MiB, with the threads that LibTorch has now, for about
/// a second; the best of all tries. What this LibTorch refuses, or has no memory for, stays 0.
/// @param device  "cpu", "cuda:1"   @param wait  returns when the device has done all
Peaks measure_peaks(
    c10::ScalarType type, const std::string& device, const std::function<void()>& wait);

}  // namespace vigil_bench
