#include <algorithm>

#include <ATen/ops/conv2d.h>
#include <tensorlab/check.hpp>
#include <tensorlab/operators.hpp>

namespace tensorlab {

namespace {

/// Copies what each output pixel sees of one channel into a column: [h,w] -> [k*k,h*w].
void unfold_channel(const float* x, int64_t height, int64_t width, int64_t kernel, float* columns) {
    const int64_t padding = kernel / 2;
    for (int64_t ky = 0; ky < kernel; ++ky) {
        for (int64_t kx = 0; kx < kernel; ++kx) {
            for (int64_t y = 0; y < height; ++y) {
                const int64_t from_y = y + ky - padding;
                float* row = columns;
                columns += width;
                if (from_y < 0 || from_y >= height) {
                    std::fill(row, row + width, 0.0f);
                    continue;
                }
                const int64_t shift = kx - padding;
                const int64_t first = std::max<int64_t>(0, -shift);
                const int64_t last = std::min(width, width - shift);
                std::fill(row, row + first, 0.0f);
                std::copy(
                    x + from_y * width + first + shift,
                    x + from_y * width + last + shift,
                    row + first);
                std::fill(row + last, row + width, 0.0f);
            }
        }
    }
}

/// Room for the columns of a whole batch, for as long as one call.
at::Tensor column_workspace(const at::Tensor& x, int64_t rows, int64_t pixels) {
    return x.new_empty({x.size(0), rows, pixels});
}

void add_bias(at::Tensor& planes, const float* bias, int64_t channels, int64_t pixels) {
    float* out = planes.data_ptr<float>();
    for (int64_t channel = 0; channel < channels; ++channel) {
        for (int64_t i = 0; i < pixels; ++i) *out++ += bias[channel];
    }
}

}  // namespace

at::Tensor conv2d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    TORCH_CHECK(x.dim() == 4 && weight.dim() == 4, "conv2d: x and weight have four dimensions");
    const int64_t kernel = weight.size(2);
    TORCH_CHECK(kernel % 2 == 1, "conv2d: the kernel has an odd size");
    if (wants_gradient(x, weight, bias)) return at::conv2d(x, weight, bias, 1, kernel / 2);
    check_plain(x, "conv2d: x");
    check_plain(weight, "conv2d: weight");

    const int64_t batch = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
    const int64_t pixels = height * width;
    const int64_t rows = channels * kernel * kernel;
    const at::Tensor columns = column_workspace(x, rows, pixels);
    const int64_t outputs = weight.size(0);
    const at::Tensor filters = weight.view({outputs, rows});
    const at::Tensor result = x.new_empty({batch, outputs, height, width});
    const float* pixel = x.data_ptr<float>();
    float* column = columns.data_ptr<float>();
    for (int64_t image = 0; image < batch; ++image) {
        for (int64_t channel = 0; channel < channels; ++channel) {
            unfold_channel(pixel, height, width, kernel, column);
            pixel += pixels;
            column += kernel * kernel * pixels;
        }
        at::Tensor planes = result.select(0, image).view({outputs, pixels});
        planes.addmm_(filters, columns.select(0, image), 0);
        add_bias(planes, bias.data_ptr<float>(), outputs, pixels);
    }
    return result;
}

}  // namespace tensorlab
