#pragma once

#include <memory>

#include <c10/core/Device.h>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/device/device.hpp"

namespace vigil_bench {

/// Where the tensors of these arguments lie. @throws UnsupportedError for a kind that is not known
c10::Device torch_device(const Arguments& arguments);

/// A device of LibTorch that works on after a call, with events as its clock. Any that has a
/// device guard: LibTorch's CUDA, or a test's.
std::unique_ptr<Device> make_asynchronous_device(c10::Device device);

}  // namespace vigil_bench
