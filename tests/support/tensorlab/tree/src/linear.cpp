#include <algorithm>

#include <tensorlab/check.hpp>
#include <tensorlab/operators.hpp>

namespace tensorlab {

namespace {

/// The product of some rows waits here until the bias has been added on the way out.
constexpr int64_t workspace_bytes = 256 * 1024;

/// Adds the bias to each row of `product` and writes it to `out`.
void add_bias(const float* product, const float* bias, int64_t rows, int64_t width, float* out) {
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t i = 0; i < width; ++i) out[i] = product[i] + bias[i];
        product += width;
        out += width;
    }
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    TORCH_CHECK(x.dim() == 2 && weight.dim() == 2, "linear: x and weight have two dimensions");
    TORCH_CHECK(x.size(1) == weight.size(1), "linear: x and weight do not fit");
    if (wants_gradient(x, weight, bias)) return bias.addmm(x, weight.t());
    check_plain(x, "linear: x");
    check_plain(bias, "linear: bias");

    const int64_t rows = x.size(0);
    const int64_t width = weight.size(0);
    const int64_t row_bytes = width * static_cast<int64_t>(sizeof(float));
    const int64_t block = std::clamp<int64_t>(workspace_bytes / row_bytes, 1, rows);
    const at::Tensor transposed = weight.t();
    const at::Tensor workspace = x.new_empty({block, width});
    const at::Tensor result = x.new_empty({rows, width});
    for (int64_t row = 0; row < rows; row += block) {
        const int64_t count = std::min(block, rows - row);
        at::Tensor product = workspace.narrow(0, 0, count);
        product.addmm_(x.narrow(0, row, count), transposed, 0);
        add_bias(
            product.data_ptr<float>(),
            bias.data_ptr<float>(),
            count,
            width,
            result.data_ptr<float>() + row * width);
    }
    return result;
}

}  // namespace tensorlab
