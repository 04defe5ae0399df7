#include <ATen/ops/gelu.h>
#include <tensorlab/check.hpp>
#include <tensorlab/operators.hpp>

namespace tensorlab {

// The sum is a tensor of its own, and LibTorch's kernels make the most of the machine.
at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias) {
    TORCH_CHECK(x.size(-1) == bias.numel(), "bias_gelu: x and bias do not fit");
    return at::gelu(x.add(bias));
}

}  // namespace tensorlab
