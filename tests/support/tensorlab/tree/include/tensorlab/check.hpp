#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

namespace tensorlab {

/// Kernels read plain rows of floats.
inline void check_plain(const at::Tensor& tensor, const char* name) {
    TORCH_CHECK(tensor.scalar_type() == at::kFloat, name, " is not float32");
    TORCH_CHECK(tensor.is_contiguous(), name, " is not contiguous");
}

/// Whether the caller will ask for the gradient of what is computed from these.
template <typename... Tensors>
bool wants_gradient(const Tensors&... tensors) {
    return at::GradMode::is_enabled() && (tensors.requires_grad() || ...);
}

}  // namespace tensorlab
