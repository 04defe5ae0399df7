#include "worker/bench/zoo/blocks/sets/deformable.hpp"

#include <algorithm>
#include <cmath>

namespace vigil_bench::zoo {

namespace {

constexpr double full_turn = 6.283185307179586;

/// At first each head looks its own way, each of its points one place further.
Tensor first_offsets(std::int64_t heads, std::int64_t maps, std::int64_t points) {
    Tensor offsets = torch::zeros({heads, maps, points, 2});
    for (std::int64_t head = 0; head < heads; ++head) {
        const double angle = full_turn * static_cast<double>(head) / static_cast<double>(heads);
        const double across = std::cos(angle);
        const double down = std::sin(angle);
        const double longer = std::max(std::abs(across), std::abs(down));
        for (std::int64_t point = 0; point < points; ++point) {
            const auto far = static_cast<double>(point + 1) / longer;
            offsets[head].select(1, point).select(1, 0).fill_(across * far);
            offsets[head].select(1, point).select(1, 1).fill_(down * far);
        }
    }
    return offsets.flatten();
}

}  // namespace

Tensor middles_of(const MapSize& size, const Tensor& like) {
    const auto along = [&](std::int64_t count) {
        const auto options = like.options().requires_grad(false);
        return (torch::arange(count, options) + 0.5) / static_cast<double>(count);
    };
    const Tensor across = along(size.columns).unsqueeze(0).expand({size.rows, size.columns});
    const Tensor down = along(size.rows).unsqueeze(1).expand({size.rows, size.columns});
    return torch::stack({across, down}, 2).flatten(0, 1);
}

Tensor values_at(const Tensor& maps, const Tensor& places) {
    constexpr std::int64_t bilinear = 0;
    constexpr std::int64_t zeros_outside = 0;
    return torch::grid_sampler(maps, 2 * places - 1, bilinear, zeros_outside, false);
}

DeformableAttentionImpl::DeformableAttentionImpl(std::int64_t width, std::int64_t maps)
    : maps_(maps) {
    offsets_ = register_module("offsets", nn::Linear(width, heads * maps * points * 2));
    weights_ = register_module("weights", nn::Linear(width, heads * maps * points));
    value_ = register_module("value", nn::Linear(width, width));
    out_ = register_module("out", nn::Linear(width, width));
    const torch::NoGradGuard no_gradients;
    offsets_->bias.copy_(first_offsets(heads, maps, points));
}

Tensor DeformableAttentionImpl::forward(
    const Tensor& query,
    const Tensor& places,
    const Tensor& memory,
    const std::vector<MapSize>& sizes) {
    const auto b = query.size(0);
    const auto n = query.size(1);
    const auto m = memory.size(1);
    const Tensor offsets = offsets_(query).view({b, n, heads, maps_, points, 2});
    const Tensor weights = weights_(query).view({b, n, heads, maps_ * points}).softmax(-1);
    const Tensor values = value_(memory).view({b, m, heads, -1}).permute({0, 2, 3, 1});
    Tensors read;  // [b*heads,width/heads,n,points] of each map
    std::int64_t first = 0;
    for (std::int64_t i = 0; i < maps_; ++i) {
        const auto [rows, columns] = sizes[static_cast<std::size_t>(i)];
        const Tensor map =
            values.narrow(3, first, rows * columns).reshape({b * heads, -1, rows, columns});
        first += rows * columns;
        const Tensor sides = torch::tensor(
            {static_cast<double>(columns), static_cast<double>(rows)}, places.options());
        const Tensor at = places.view({1, n, 1, 1, 2}) + offsets.select(3, i) / sides;
        read.push_back(values_at(map, at.permute({0, 2, 1, 3, 4}).flatten(0, 1)));
    }
    const Tensor by_head = weights.permute({0, 2, 1, 3}).reshape({b * heads, 1, n, -1});
    const Tensor mixed = (torch::cat(read, 3) * by_head).sum(3);  // [b*heads,width/heads,n]
    return out_(mixed.view({b, -1, n}).transpose(1, 2));
}

}  // namespace vigil_bench::zoo
