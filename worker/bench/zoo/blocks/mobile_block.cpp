#include "worker/bench/zoo/blocks/mobile_block.hpp"

namespace vigil_bench::zoo {

SqueezeExciteImpl::SqueezeExciteImpl(std::int64_t channels, std::int64_t squeezed, Activation gate)
    : gate_(gate) {
    down_ = register_module("down", conv_with_bias(channels, squeezed, Kernel(1)));
    up_ = register_module("up", conv_with_bias(squeezed, channels, Kernel(1)));
}

Tensor SqueezeExciteImpl::forward(const Tensor& x) {
    Tensor scale = down_(torch::adaptive_avg_pool2d(x, {1, 1}));
    scale = up_(gate_ == Activation::relu ? scale.relu_() : torch::silu_(scale));
    return x * (gate_ == Activation::relu ? torch::hardsigmoid(scale) : scale.sigmoid());
}

MobileBlockImpl::MobileBlockImpl(const MobileShape& shape)
    : residual_(shape.kernel.stride == 1 && shape.in == shape.out),
      drop_probability_(shape.drop_probability) {
    if (shape.expanded != shape.in) {
        branch_->extend(*conv_norm(shape.in, shape.expanded, Kernel(1), shape.kind));
    }
    Kernel by_channel = shape.kernel;
    by_channel.groups = shape.expanded;
    branch_->extend(*conv_norm(shape.expanded, shape.expanded, by_channel, shape.kind));
    if (shape.squeezed > 0) {
        branch_->push_back(SqueezeExcite(shape.expanded, shape.squeezed, shape.gate));
    }
    branch_->extend(*conv_norm(shape.expanded, shape.out, Kernel(1), Activation::none));
    register_module("branch", branch_);
}

Tensor MobileBlockImpl::forward(const Tensor& x) {
    const Tensor branch = branch_->forward(x);
    return residual_ ? x + stochastic_depth(branch, drop_probability_, is_training()) : branch;
}

std::shared_ptr<Network> make_mobile_classifier(
    nn::Sequential stem,
    std::int64_t stem_channels,
    const std::vector<MobileStage>& stages,
    Activation kind,
    const std::function<void(MobileShape&)>& refine) {
    constexpr std::int64_t last_channels = 1280;
    std::int64_t in = stem_channels;
    for (const auto& stage : stages) {
        for (std::int64_t i = 0; i < stage.count; ++i) {
            MobileShape shape;
            shape.in = in;
            shape.expanded = in * stage.expansion;
            shape.out = stage.out;
            shape.kernel = Kernel(stage.size, i == 0 ? stage.stride : 1);
            shape.kind = kind;
            refine(shape);
            stem->push_back(MobileBlock(shape));
            in = stage.out;
        }
    }
    stem->extend(*conv_norm(in, last_channels, Kernel(1), kind));
    return trunk_classifier(
        stem,
        nn::Sequential(nn::Dropout(0.2), nn::Linear(last_channels, ImageClassifier::classes)));
}

nn::Sequential mobilenet_v3_large_trunk(std::int64_t last_stride) {
    struct Row {
        std::int64_t size, expanded, out, gated;
        Activation kind;
        std::int64_t stride;
    };
    constexpr auto relu = Activation::relu;
    constexpr auto hardswish = Activation::hardswish;
    const std::vector<Row> rows = {
        {3, 16, 16, 0, relu, 1},
        {3, 64, 24, 0, relu, 2},
        {3, 72, 24, 0, relu, 1},
        {5, 72, 40, 1, relu, 2},
        {5, 120, 40, 1, relu, 1},
        {5, 120, 40, 1, relu, 1},
        {3, 240, 80, 0, hardswish, 2},
        {3, 200, 80, 0, hardswish, 1},
        {3, 184, 80, 0, hardswish, 1},
        {3, 184, 80, 0, hardswish, 1},
        {3, 480, 112, 1, hardswish, 1},
        {3, 672, 112, 1, hardswish, 1},
        {5, 672, 160, 1, hardswish, 2},
        {5, 960, 160, 1, hardswish, 1},
        {5, 960, 160, 1, hardswish, 1}};
    constexpr std::int64_t last_channels = 160;
    nn::Sequential trunk;
    trunk->extend(*conv_norm(3, 16, Kernel(3, 2), hardswish));
    std::int64_t in = 16;
    for (const auto& row : rows) {
        const bool last = row.out == last_channels;
        MobileShape shape;
        shape.in = in;
        shape.expanded = row.expanded;
        shape.out = row.out;
        shape.kernel = Kernel(row.size, last && row.stride == 2 ? last_stride : row.stride);
        if (last && last_stride == 1) shape.kernel = shape.kernel.dilated(2);
        shape.kind = row.kind;
        if (row.gated != 0) {
            shape.squeezed = round_channels(static_cast<double>(row.expanded) / 4);
        }
        trunk->push_back(MobileBlock(shape));
        in = row.out;
    }
    trunk->extend(*conv_norm(in, 6 * in, Kernel(1), hardswish));
    return trunk;
}

}  // namespace vigil_bench::zoo
