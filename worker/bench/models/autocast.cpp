#include "worker/bench/models/autocast.hpp"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace vigil_bench {

namespace {

void switch_on(bool is_on, c10::DeviceType device, at::ScalarType type) {
// From 2.4 on one function serves all devices; the old one is on its way out.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_enabled(device, is_on);
    at::autocast::set_autocast_dtype(device, type);
#else
    if (device == c10::DeviceType::CUDA) {
        at::autocast::set_enabled(is_on);
        at::autocast::set_autocast_gpu_dtype(type);
    } else {
        at::autocast::set_cpu_enabled(is_on);
        at::autocast::set_autocast_cpu_dtype(type);
    }
#endif
}

}  // namespace

Autocast::Autocast(Precision precision, c10::DeviceType device)
    : is_on_(precision == Precision::amp || precision == Precision::amp_fp16), device_(device) {
    if (!is_on_) return;
    switch_on(true, device_, precision == Precision::amp ? at::kBFloat16 : at::kHalf);
    at::autocast::increment_nesting();
}

Autocast::~Autocast() {
    if (!is_on_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    switch_on(false, device_, at::kBFloat16);
}

NoAutocastCache::NoAutocastCache() : was_on_(at::autocast::is_autocast_cache_enabled()) {
    at::autocast::set_autocast_cache_enabled(false);
}

NoAutocastCache::~NoAutocastCache() {
    at::autocast::set_autocast_cache_enabled(was_on_);
}

}  // namespace vigil_bench
