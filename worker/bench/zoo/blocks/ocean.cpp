#include "worker/bench/zoo/blocks/ocean.hpp"

namespace vigil_bench::zoo {

namespace {

constexpr double degree_m = 111e3;
constexpr double radian = 0.017453292519943295;

Tensor part(const Tensor& field, std::int64_t dim, const CellRange& range) {
    const auto size = field.size(dim);
    return field.slice(dim, range.from, size + range.to);
}

}  // namespace

Tensors make_ocean_grid(std::int64_t columns, std::int64_t rows, std::int64_t levels) {
    const Tensor across = torch::full({columns}, degree_m);
    const Tensor down = torch::full({rows}, degree_m);
    const Tensor latitude = torch::linspace(20, 60, rows) * radian;
    const Tensor dzt = torch::linspace(300, 10, levels);
    const Tensor dzw = torch::cat({(dzt.slice(0, 1) + dzt.slice(0, 0, -1)) / 2, dzt.slice(0, -1)});
    const Tensor zt = dzt / 2 - dzt.flip(0).cumsum(0).flip(0);
    const Tensor floor = torch::randint(levels / 2, {columns, rows, 1}, torch::kLong);
    const Tensor t = (torch::arange(levels) >= floor).to(torch::kFloat);
    const auto both = [&](std::int64_t dim) { return t * t.roll(-1, dim); };
    Tensor w = both(2);
    w.select(2, levels - 1) = t.select(2, levels - 1);
    return {
        across,
        across.clone(),
        down,
        down.clone(),
        latitude.cos(),
        (latitude + 0.5 * radian).cos(),
        dzt,
        dzw,
        zt,
        t,
        both(0),
        both(1),
        w};
}

OceanGrid::OceanGrid(const Tensors& inputs)
    : t(inputs[9]), u(inputs[10]), v(inputs[11]), w(inputs[12]) {
    const auto along = [&](const Tensor& sizes, std::int64_t dim) {
        std::vector<std::int64_t> shape(3, 1);
        shape[static_cast<std::size_t>(dim)] = sizes.size(0);
        return sizes.view(shape).expand(t.sizes());
    };
    dxt = along(inputs[0], 0);
    dxu = along(inputs[1], 0);
    dyt = along(inputs[2], 1);
    dyu = along(inputs[3], 1);
    cost = along(inputs[4], 1);
    cosu = along(inputs[5], 1);
    dzt = along(inputs[6], 2);
    dzw = along(inputs[7], 2);
    zt = along(inputs[8], 2);
}

Tensor cut(const Tensor& field, const CellRange& x, const CellRange& y, const CellRange& z) {
    return part(part(part(field, -3, x), -2, y), -1, z);
}

Tensor cut_along(const Tensor& field, Axis axis, const CellRange& along) {
    return axis == Axis::x ? cut(field, along, inner) : cut(field, inner, along);
}

Tensor step_along(const Tensor& field, Axis axis) {
    const std::int64_t dim = axis == Axis::x ? -3 : -2;
    const Tensor step = part(field, dim, {1, 0}) - part(field, dim, {0, -1});
    if (axis == Axis::x) return torch::constant_pad_nd(step, {0, 0, 0, 0, 0, 1});
    return torch::constant_pad_nd(step, {0, 0, 0, 1});
}

}  // namespace vigil_bench::zoo
