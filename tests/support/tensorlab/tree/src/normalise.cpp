#include <cmath>

#include <ATen/ops/layer_norm.h>
#include <tensorlab/check.hpp>
#include <tensorlab/operators.hpp>

namespace tensorlab {

namespace {

constexpr float epsilon = 1e-5f;

/// An infinity or NaN spoils its whole row without a word, and numbers below the normal ones are
/// slow in all that follows: say so where they come in.
void check_values(const at::Tensor& x) {
    const float* value = x.data_ptr<float>();
    const int64_t count = x.numel();
    for (int64_t i = 0; i < count; ++i) {
        const bool good = std::isnormal(value[i]) || value[i] == 0.0f;
        TORCH_CHECK_VALUE(good, "layer_norm: value ", i, " is ", value[i]);
    }
}

void normalise_row(
    const float* x, const float* weight, const float* bias, int64_t width, float* out) {
    float sum = 0;
    for (int64_t i = 0; i < width; ++i) sum += x[i];
    const float mean = sum / static_cast<float>(width);
    float squares = 0;
    for (int64_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(width) + epsilon);
    for (int64_t i = 0; i < width; ++i) out[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

/// Normalises every row of x.
at::Tensor normalise_rows(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    const int64_t width = x.size(-1);
    const int64_t rows = x.numel() / width;
    at::Tensor result = x.new_empty(x.sizes());
    const float* in = x.data_ptr<float>();
    float* out = result.data_ptr<float>();
    for (int64_t row = 0; row < rows; ++row) {
        normalise_row(
            in + row * width,
            weight.data_ptr<float>(),
            bias.data_ptr<float>(),
            width,
            out + row * width);
    }
    return result;
}

}  // namespace

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    TORCH_CHECK(x.size(-1) == weight.numel(), "layer_norm: x and weight do not fit");
    if (wants_gradient(x, weight, bias)) return at::layer_norm(x, weight.sizes(), weight, bias);
    check_plain(x, "layer_norm: x");
    check_values(x);
    return normalise_rows(x, weight, bias);
}

}  // namespace tensorlab
