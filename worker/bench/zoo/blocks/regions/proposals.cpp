#include "worker/bench/zoo/blocks/regions/proposals.hpp"

#include "worker/bench/zoo/blocks/layers.hpp"
#include "worker/bench/zoo/blocks/regions/boxes.hpp"

namespace vigil_bench::zoo {

namespace proposals {

constexpr std::int64_t ratios = 3;
constexpr std::int64_t considered = 1000;  ///< best boxes that are compared with each other
constexpr double most_overlap = 0.7;
constexpr double same_object = 0.7;
constexpr double no_object = 0.3;
constexpr std::int64_t sampled = 128;  ///< boxes of each kind, of a picture
constexpr double as_good = 0.01;

/// [h * w * boxes, 4]
Tensor anchors_of(const AnchorLevel& level, std::int64_t side) {
    Tensors shapes;
    for (const double size : level.sizes) {
        for (const double ratio : {0.5, 1.0, 2.0}) {
            const double width = size / std::sqrt(ratio);
            const double height = size * std::sqrt(ratio);
            shapes.push_back(torch::tensor({-width / 2, -height / 2, width / 2, height / 2}));
        }
    }
    const Tensor at = torch::arange(0, side, level.stride).to(torch::kFloat);
    const auto grid = torch::meshgrid({at, at}, "ij");
    const Tensor centres = torch::stack({grid[1], grid[0], grid[1], grid[0]}, 2).view({-1, 1, 4});
    return (centres + torch::stack(shapes).to(torch::kFloat)).view({-1, 4});
}

}  // namespace proposals

Tensor choose_apart(
    const Tensor& boxes,
    const Tensor& scores,
    const Tensor& groups,
    double most_overlapping,
    std::int64_t kept,
    Choices& choices) {
    const Tensor best = std::get<1>(scores.topk(std::min(proposals::considered, scores.size(0))));
    const Tensor group = groups.index_select(0, best).to(boxes.scalar_type()).unsqueeze(1);
    // Groups lie far from each other.
    const Tensor apart = boxes.index_select(0, best) + group * (2 * boxes.max() + 1);
    const Tensor stays = survivors(apart, most_overlapping);
    const Tensor of_best = scores.index_select(0, best);
    const Tensor spread = of_best.max() - scores.min();
    const Tensor ranked = torch::where(stays, of_best, of_best - 2 * spread - 1);
    const Tensor fresh = best.index_select(0, std::get<1>(ranked.topk(kept)));
    return choices.settle(fresh, [&](const Tensor& other) {
        const Tensor gap = scores.index_select(0, other) - scores.index_select(0, fresh);
        return gap.abs() <= proposals::as_good * spread;
    });
}

ProposalsImpl::ProposalsImpl(const ProposalShape& shape) : shape_(shape) {
    const auto boxes = static_cast<std::int64_t>(shape.levels[0].sizes.size()) * proposals::ratios;
    conv_ = register_module("conv", conv_with_bias(shape.depth, shape.depth, Kernel(3)));
    score_ = register_module("score", conv_with_bias(shape.depth, boxes, Kernel(1)));
    step_ = register_module("step", conv_with_bias(shape.depth, boxes * 4, Kernel(1)));
    Tensors anchors;
    Tensors level;
    for (std::size_t i = 0; i < shape.levels.size(); ++i) {
        anchors.push_back(proposals::anchors_of(shape.levels[i], shape.side));
        level.push_back(
            torch::full({anchors.back().size(0)}, static_cast<std::int64_t>(i), torch::kLong));
    }
    anchors_ = register_buffer("anchors", torch::cat(anchors));
    level_ = register_buffer("level", torch::cat(level));
}

ProposalsImpl::Seen ProposalsImpl::forward(const Tensors& maps) {
    Tensors scores;
    Tensors steps;
    for (const auto& map : maps) {
        const Tensor x = torch::relu(conv_(map));
        const Tensor step = step_(x);
        scores.push_back(score_(x).permute({0, 2, 3, 1}).flatten(1));
        steps.push_back(step.view({step.size(0), -1, 4, step.size(2), step.size(3)})
                            .permute({0, 3, 4, 1, 2})
                            .flatten(1, 3));
    }
    return {torch::cat(scores, 1), torch::cat(steps, 1)};
}

Tensor ProposalsImpl::propose(const Seen& seen, std::int64_t picture, Choices& choices) const {
    const torch::NoGradGuard no_grad;
    const Tensor boxes = move_boxes(anchors_, seen.steps[picture].detach(), {}, shape_.side);
    const Tensor chosen = choose_apart(
        boxes,
        seen.scores[picture].detach(),
        level_,
        proposals::most_overlap,
        shape_.kept,
        choices);
    return boxes.index_select(0, chosen);
}

Tensor ProposalsImpl::loss(
    const Seen& seen, std::int64_t picture, const Tensor& objects, const Tensor& order) const {
    const auto [most, which] = overlap(anchors_, objects).max(1);
    const Tensor closest = overlap(objects, anchors_).argmax(1);
    Tensor is_object = most >= proposals::same_object;
    is_object = is_object.index_fill(0, closest, true);
    const Tensor is_none = (most < proposals::no_object).logical_and(is_object.logical_not());
    const auto pick = [&](const Tensor& among) {
        return std::get<1>((order * among + among).topk(proposals::sampled));
    };
    const auto share = [](const Tensor& values, const Tensor& counted) {
        return (values * counted).sum() / (2 * proposals::sampled);
    };
    const Tensor with = pick(is_object.to(order.scalar_type()));
    const Tensor without = pick(is_none.to(order.scalar_type()));
    const Tensor counted = is_object.index_select(0, with).to(seen.scores.scalar_type());
    const Tensor scores = seen.scores[picture];
    const Tensor none = is_none.index_select(0, without).to(scores.scalar_type());
    const Tensor steps = seen.steps[picture].index_select(0, with);
    const Tensor wanted = steps_between(
        anchors_.index_select(0, with), objects.index_select(0, which.index_select(0, with)), {});
    return share(torch::softplus(-scores.index_select(0, with)), counted) +
           share(torch::softplus(scores.index_select(0, without)), none) +
           share((steps - wanted).abs().sum(1), counted);
}

}  // namespace vigil_bench::zoo
