#pragma once

#include <ATen/record_function.h>

namespace vigil_bench {

/// What an operator reads. TorchScript hands over its whole stack, on which they are the last. Only
/// for files that are compiled with NDEBUG, as LibTorch is: its record has another size without.
inline c10::ArrayRef<const c10::IValue> own_inputs(const at::RecordFunction& function) {
    const auto all = function.inputs();
    const auto own = function.num_inputs();
    return own > 0 && own < all.size() ? all.slice(all.size() - own, own) : all;
}

}  // namespace vigil_bench
