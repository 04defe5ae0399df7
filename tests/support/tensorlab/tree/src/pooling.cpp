#include <algorithm>

#include <ATen/ops/max_pool2d.h>
#include <tensorlab/check.hpp>
#include <tensorlab/operators.hpp>

namespace tensorlab {

namespace {

/// One channel of one picture.
struct Plane {
    const float* values;
    int64_t height;
    int64_t width;

    float at(int64_t y, int64_t x) const { return values[y * width + x]; }
};

/// The largest of each 2 x 2. Every index lies inside: y and x stay below half of the sides.
float* pool_plane(const Plane& plane, float* out) {
    for (int64_t y = 0; y < plane.height / 2; ++y) {
        for (int64_t x = 0; x < plane.width / 2; ++x) {
            const float top = std::max(plane.at(2 * y, 2 * x), plane.at(2 * y, 2 * x + 1));
            const float low = std::max(plane.at(2 * y + 1, 2 * x), plane.at(2 * y + 1, 2 * x + 1));
            *out++ = std::max(top, low);
        }
    }
    return out;
}

}  // namespace

at::Tensor max_pool(const at::Tensor& x) {
    TORCH_CHECK(x.dim() == 4, "max_pool: x has four dimensions");
    if (wants_gradient(x)) return at::max_pool2d(x, 2);
    check_plain(x, "max_pool: x");
    const int64_t height = x.size(2), width = x.size(3);
    at::Tensor result = x.new_empty({x.size(0), x.size(1), height / 2, width / 2});
    const float* values = x.data_ptr<float>();
    float* out = result.data_ptr<float>();
    for (int64_t plane = 0; plane < x.size(0) * x.size(1); ++plane) {
        out = pool_plane({values + plane * height * width, height, width}, out);
    }
    return result;
}

}  // namespace tensorlab
