#include "worker/bench/zoo/blocks/swin.hpp"

#include <cmath>
#include <numeric>

#include "worker/bench/zoo/blocks/transformer.hpp"

namespace vigil_bench::zoo {

namespace {

constexpr std::int64_t patch = 4;

/// [b,h,w,c] with zeros below and to the right, so that both sides are multiples.
Tensor padded(const Tensor& map, std::int64_t multiple) {
    const std::int64_t down = (multiple - map.size(1) % multiple) % multiple;
    const std::int64_t across = (multiple - map.size(2) % multiple) % multiple;
    return down + across == 0 ? map : torch::constant_pad_nd(map, {0, 0, 0, across, 0, down});
}

/// [b,h,w,c] -> [b*windows,window*window,c]
Tensor into_windows(const Tensor& map, std::int64_t window) {
    const auto b = map.size(0);
    const auto rows = map.size(1) / window;
    const auto columns = map.size(2) / window;
    return map.view({b, rows, window, columns, window, -1})
        .permute({0, 1, 3, 2, 4, 5})
        .reshape({b * rows * columns, window * window, -1});
}

/// And back: [b,h,w,c].
Tensor out_of_windows(
    const Tensor& windows, std::int64_t window, std::int64_t rows, std::int64_t columns) {
    return windows.view({-1, rows / window, columns / window, window, window, windows.size(2)})
        .permute({0, 1, 3, 2, 4, 5})
        .reshape({-1, rows, columns, windows.size(2)});
}

class SwinLayerImpl final : public nn::Module {
  public:
    SwinLayerImpl(
        std::int64_t width, std::int64_t heads, std::int64_t window, bool shifts, double drop)
        : heads_(heads), window_(window), shifts_(shifts), drop_(drop) {
        const std::int64_t span = 2 * window - 1;
        norm_ = register_module("norm", layer_norm(width));
        all_ = register_module("all", nn::Linear(width, 3 * width));
        out_ = register_module("out", nn::Linear(width, width));
        near_ = register_parameter("near", torch::randn({span * span, heads}) * 0.02);
        distances_ = register_buffer("distances", window_distances(window));
        feed_norm_ = register_module("feed_norm", layer_norm(width));
        feed_ = register_module("feed", perceptron({width, 4 * width, width}, Activation::gelu));
    }

    /// [b,h,w,c]
    Tensor forward(const Tensor& x) {
        const auto dropped = [&](const Tensor& branch) {
            return stochastic_depth(branch, drop_, is_training());
        };
        const Tensor y = x + dropped(attention(norm_(x)));
        return y + dropped(feed_->forward(feed_norm_(y)));
    }

  private:
    Tensor attention(const Tensor& map) {
        Tensor x = padded(map, window_);
        const auto rows = x.size(1);
        const auto columns = x.size(2);
        // A side of one window has no other window to exchange with.
        const std::int64_t half = window_ / 2;
        const std::int64_t up = shifts_ && rows > window_ ? half : 0;
        const std::int64_t left = shifts_ && columns > window_ ? half : 0;
        if (up + left > 0) x = x.roll({-up, -left}, {1, 2});
        const std::int64_t n = window_ * window_;
        Tensor bias = near_.index_select(0, distances_).view({n, n, heads_}).permute({2, 0, 1});
        if (up + left > 0) {
            const Tensor edges = edges_of_windows(rows, columns, window_, near_.detach());
            bias = (bias + edges).repeat({x.size(0), 1, 1, 1});
        }
        const auto parts = all_(into_windows(x, window_)).chunk(3, -1);
        const double scale = 1 / std::sqrt(static_cast<double>(map.size(3) / heads_));
        x = out_(attend(parts[0], parts[1], parts[2], heads_, scale, bias));
        x = out_of_windows(x, window_, rows, columns);
        if (up + left > 0) x = x.roll({up, left}, {1, 2});
        return x.narrow(1, 0, map.size(1)).narrow(2, 0, map.size(2));
    }

    std::int64_t heads_;
    std::int64_t window_;
    bool shifts_;
    double drop_;
    nn::LayerNorm norm_ = nullptr;
    nn::Linear all_ = nullptr;
    nn::Linear out_ = nullptr;
    Tensor near_;
    Tensor distances_;
    nn::LayerNorm feed_norm_ = nullptr;
    nn::Sequential feed_ = nullptr;
};
TORCH_MODULE(SwinLayer);

/// Four neighbours become one place of twice the width.
struct MergeImpl final : nn::Module {
    explicit MergeImpl(std::int64_t width) {
        norm = register_module("norm", layer_norm(4 * width));
        reduce = register_module("reduce", linear_without_bias(4 * width, 2 * width));
    }

    Tensor forward(const Tensor& map) {
        const Tensor x = padded(map, 2);
        Tensors corners;
        for (const std::int64_t across : {0, 1}) {
            for (const std::int64_t down : {0, 1}) {
                corners.push_back(x.slice(1, down, {}, 2).slice(2, across, {}, 2));
            }
        }
        return reduce(norm(torch::cat(corners, 3)));
    }

    nn::LayerNorm norm = nullptr;
    nn::Linear reduce = nullptr;
};
TORCH_MODULE(Merge);

}  // namespace

Tensor edges_of_windows(
    std::int64_t rows, std::int64_t columns, std::int64_t window, const Tensor& like) {
    constexpr double far = -100;
    // Along a side: 0 before its last window, 1 in it, 2 in what came in.
    const auto region = [&](std::int64_t count) {
        const Tensor at = torch::arange(count, torch::kLong);
        const std::int64_t moved = count > window ? window / 2 : 0;
        return (at >= count - window).to(torch::kLong) + (at >= count - moved).to(torch::kLong);
    };
    const Tensor map = 3 * region(rows).unsqueeze(1) + region(columns).unsqueeze(0);
    const Tensor windows = into_windows(map.view({1, rows, columns, 1}), window).squeeze(2);
    const Tensor apart = windows.unsqueeze(1) != windows.unsqueeze(2);
    return apart.unsqueeze(1).to(like.device(), like.scalar_type()) * far;
}

Tensor window_distances(std::int64_t window) {
    const std::int64_t span = 2 * window - 1;
    const Tensor at = torch::arange(window, torch::kLong);
    const Tensor rows = at.unsqueeze(1).expand({window, window}).flatten();
    const Tensor columns = at.unsqueeze(0).expand({window, window}).flatten();
    const auto apart = [&](const Tensor& places) {
        return places.unsqueeze(1) - places.unsqueeze(0) + window - 1;
    };
    return (apart(rows) * span + apart(columns)).flatten();
}

SwinTrunkImpl::SwinTrunkImpl(const SwinShape& shape) : shape_(shape) {
    patches_ = register_module(
        "patches", nn::Conv2d(nn::Conv2dOptions(3, shape.width, patch).stride(patch)));
    patch_norm_ = register_module("patch_norm", layer_norm(shape.width));
    const int last = std::accumulate(shape.counts.begin(), shape.counts.end(), -1);
    int number = 0;
    for (std::size_t stage = 0; stage < shape.counts.size(); ++stage) {
        const std::int64_t width = shape.width << stage;
        if (stage > 0) merges_->push_back(Merge(width / 2));
        for (int i = 0; i < shape.counts[stage]; ++i) {
            const double drop = shape.last_drop * number++ / last;
            layers_->push_back(
                SwinLayer(width, shape.heads << stage, shape.window, i % 2 == 1, drop));
        }
    }
    register_module("layers", layers_);
    register_module("merges", merges_);
}

Tensors SwinTrunkImpl::stages_of(const Tensor& pictures) {
    Tensor x = patch_norm_(patches_(pictures).permute({0, 2, 3, 1}));
    Tensors stages;
    std::size_t next = 0;
    for (std::size_t stage = 0; stage < shape_.counts.size(); ++stage) {
        if (stage > 0) x = merges_[stage - 1]->as<Merge>()->forward(x);
        for (int i = 0; i < shape_.counts[stage]; ++i) {
            x = layers_[next++]->as<SwinLayer>()->forward(x);
        }
        stages.push_back(x);
    }
    return stages;
}

std::vector<std::int64_t> SwinTrunkImpl::widths() const {
    std::vector<std::int64_t> all;
    for (std::size_t stage = 0; stage < shape_.counts.size(); ++stage) {
        all.push_back(shape_.width << stage);
    }
    return all;
}

SwinMapsImpl::SwinMapsImpl(const SwinShape& shape) {
    trunk_ = register_module("trunk", SwinTrunk(shape));
    for (const auto width : trunk_->widths()) norms_->push_back(layer_norm(width));
    register_module("norms", norms_);
}

Tensors SwinMapsImpl::forward(const Tensor& pictures) {
    Tensors maps = trunk_->stages_of(pictures);
    for (std::size_t i = 0; i < maps.size(); ++i) {
        maps[i] = norms_[i]->as<nn::LayerNorm>()->forward(maps[i]).permute({0, 3, 1, 2});
    }
    return maps;
}

}  // namespace vigil_bench::zoo
