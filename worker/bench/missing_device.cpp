#include "worker/bench/missing_device.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/version.h>

#include "worker/bench/arguments/device_name.hpp"
#include "worker/bench/child.hpp"

namespace vigil_bench {

namespace {

/// Asked of a child: CUDA does not survive a fork, and nothing may have used it here before one.
int count_gpus(const Arguments& arguments, std::string& failure) {
    const auto count = [] {
        return std::to_string(c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).deviceCount());
    };
    const ChildEnd end = run_in_children(arguments, {count}).front();
    failure = end.failure;
    return failure.empty() ? std::stoi(end.text) : 0;
}

std::string numbered(int count) {
    return std::to_string(count) + (count == 1 ? " GPU" : " GPUs");
}

}  // namespace

std::string find_missing_device(const Arguments& arguments) {
    const auto name = parse_device(arguments.device);
    if (name && name->kind == "cpu") return "";
    const std::string start = "device '" + arguments.device + "': ";
    if (!name || name->kind != "cuda") return start + "vigil-bench knows cpu and cuda";
    if (!c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA)) {
        return start + "this LibTorch, " + TORCH_VERSION + ", was built without CUDA";
    }
    std::string failure;
    const int count = count_gpus(arguments, failure);
    if (!failure.empty()) return start + "asking LibTorch for GPUs failed: " + failure;
    if (count == 0) {
        return start + "LibTorch has CUDA but finds no GPU; nvidia-smi shows what the driver sees";
    }
    if (name->index >= count) return start + "LibTorch finds " + numbered(count) + ", from 0 on";
    if (arguments.processes > count) {
        return start + "--processes " + std::to_string(arguments.processes) +
               " takes a GPU each, LibTorch finds " + numbered(count);
    }
    return "";
}

}  // namespace vigil_bench
