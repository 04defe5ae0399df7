#include "worker/bench/zoo/blocks/regions/boxes.hpp"

#include <cmath>

namespace vigil_bench::zoo {

namespace {

constexpr double most_growth = 62.5;  // of a side by one step: 1000 / 16
constexpr double no_area = 1e-6;
constexpr std::int64_t samples = 2;  // of a point, each way

Tensor area_of(const Tensor& boxes) {
    return (boxes.select(1, 2) - boxes.select(1, 0)) * (boxes.select(1, 3) - boxes.select(1, 1));
}

/// Centre and size, [n,2] each.
std::pair<Tensor, Tensor> shape_of(const Tensor& boxes) {
    const auto corners = boxes.split(2, 1);
    return {(corners[0] + corners[1]) / 2, corners[1] - corners[0]};
}

/// Where the samples of each box lie along one side of a map, [n, size * samples], -1 to 1 from
/// edge to edge.
Tensor places(
    const Tensor& low, const Tensor& high, std::int64_t points, std::int64_t size, double shift) {
    const std::int64_t count = size * samples;
    const Tensor steps = (torch::arange(count, low.options()) + 0.5) / count;
    const Tensor at = low.unsqueeze(1) + (high - low).unsqueeze(1) * steps + shift;
    return (2 * at + 1) / static_cast<double>(points) - 1;
}

}  // namespace

Tensor overlap(const Tensor& some, const Tensor& others) {
    const auto a = some.unsqueeze(1).split(2, 2);
    const auto b = others.unsqueeze(0).split(2, 2);
    const Tensor sides = (torch::minimum(a[1], b[1]) - torch::maximum(a[0], b[0])).clamp_min(0);
    const Tensor common = sides.select(2, 0) * sides.select(2, 1);
    const Tensor both = area_of(some).unsqueeze(1) + area_of(others).unsqueeze(0) - common;
    return common / both.clamp_min(no_area);
}

Tensor survivors(const Tensor& boxes, double most) {
    const Tensor hits = (overlap(boxes, boxes) > most).cpu().contiguous();
    const std::int64_t count = boxes.size(0);
    const bool* hit = hits.data_ptr<bool>();
    Tensor left = torch::ones({count}, torch::kBool);
    bool* stays = left.data_ptr<bool>();
    for (std::int64_t i = 0; i < count; ++i) {
        if (!stays[i]) continue;
        for (std::int64_t k = i + 1; k < count; ++k) stays[k] = stays[k] && !hit[i * count + k];
    }
    return left.to(boxes.device());
}

Tensor move_boxes(const Tensor& from, const Tensor& steps, const BoxCode& code, std::int64_t side) {
    const auto [centre, size] = shape_of(from);
    const auto parts = steps.split(2, 1);
    const Tensor moved = centre + parts[0] / code.centre * size;
    const Tensor half = size * (parts[1] / code.size).clamp_max(std::log(most_growth)).exp() / 2;
    return torch::cat({moved - half, moved + half}, 1).clamp(0, side);
}

Tensor steps_between(const Tensor& from, const Tensor& to, const BoxCode& code) {
    const auto [centre, size] = shape_of(from);
    const auto [wanted, wanted_size] = shape_of(to);
    return torch::cat(
        {(wanted - centre) / size * code.centre, (wanted_size / size).log() * code.size}, 1);
}

Tensor align_regions(
    const Tensor& map, const Tensor& boxes, double scale, std::int64_t size, Aligned aligned) {
    const bool by_half = aligned == Aligned::by_half_a_point;
    const double shift = by_half ? -0.5 : 0;
    const auto corners = (boxes * scale).unbind(1);
    const auto end_of = [&](const Tensor& low, const Tensor& high) {
        return by_half ? high : torch::maximum(high, low + 1);
    };
    const std::int64_t count = boxes.size(0);
    const std::int64_t points = size * samples;
    const Tensor x = places(corners[0], end_of(corners[0], corners[2]), map.size(3), size, shift);
    const Tensor y = places(corners[1], end_of(corners[1], corners[3]), map.size(2), size, shift);
    const std::vector<std::int64_t> sizes = {count, points, points};
    const Tensor grid =
        torch::stack({x.unsqueeze(1).expand(sizes), y.unsqueeze(2).expand(sizes)}, 3)
            .view({1, count * points, points, 2});
    constexpr int bilinear = 0;
    constexpr int border = 1;
    const Tensor seen = torch::grid_sampler(map, grid, bilinear, border, false);
    return torch::avg_pool2d(seen, {samples, samples})
        .view({map.size(1), count, size, size})
        .transpose(0, 1);
}

}  // namespace vigil_bench::zoo
