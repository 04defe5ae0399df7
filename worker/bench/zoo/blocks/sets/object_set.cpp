#include "worker/bench/zoo/blocks/sets/object_set.hpp"

#include "worker/bench/zoo/blocks/sets/assignment.hpp"

namespace vigil_bench::zoo {

namespace {

constexpr std::int64_t encoder_width = 256;
constexpr int encoder_layers = 6;
constexpr double box_weight = 5;
constexpr double overlap_weight = 2;
constexpr double two_pi = 6.283185307179586;

/// Pairs that cost at most this part more than the best are as good.
constexpr double tie_ratio = 1e-2;

ResidualShape trunk_shape() {
    ResidualShape shape;
    shape.block = ResidualShape::Block::bottleneck;
    shape.counts = {3, 4, 6, 3};
    shape.norm = Norm::frozen;
    return shape;
}

/// Stem and first stage are not trained.
ResidualTrunk make_trunk() {
    ResidualTrunk trunk(trunk_shape());
    for (auto& item : trunk->named_parameters()) {
        for (const auto* prefix : {"stem.", "stages.0.", "stages.1.", "stages.2."}) {
            if (item.key().rfind(prefix, 0) == 0) item.value().requires_grad_(false);
        }
    }
    return trunk;
}

Tensor corners(const Tensor& boxes) {
    const auto parts = boxes.chunk(2, -1);
    return torch::cat({parts[0] - parts[1] / 2, parts[0] + parts[1] / 2}, -1);
}

Tensor area(const Tensor& from, const Tensor& to) {
    return (to - from).clamp_min(0).prod(-1);
}

/// 1 - generalized intersection over union (Rezatofighi et al. 2019).
Tensor overlap_gap(const Tensor& boxes, const Tensor& wanted) {
    const auto a = corners(boxes).chunk(2, -1);
    const auto b = corners(wanted).chunk(2, -1);
    const Tensor common = area(torch::maximum(a[0], b[0]), torch::minimum(a[1], b[1]));
    const Tensor together = area(a[0], a[1]) + area(b[0], b[1]) - common;
    const Tensor around = area(torch::minimum(a[0], b[0]), torch::maximum(a[1], b[1]));
    return 1 - common / together + (around - together) / around;
}

Tensor box_distance(const Tensor& found, const Tensor& wanted) {
    return box_weight * (found - wanted).abs().sum(-1) +
           overlap_weight * overlap_gap(found, wanted);
}

/// Whether the pairs [b,o] of each picture cost little more than the best ones; [b,1].
Tensor as_cheap(const Tensor& costs, const Tensor& pairs, const Tensor& best) {
    const auto cost_of = [&](const Tensor& some) {
        return costs.gather(1, some.unsqueeze(1)).squeeze(1);  // [b,o]
    };
    const Tensor least = cost_of(best);
    const Tensor allowed = tie_ratio * least.abs().sum(1, true);
    return cost_of(pairs).sum(1, true) <= least.sum(1, true) + allowed;
}

}  // namespace

Tensor picture_positions(
    std::int64_t rows, std::int64_t columns, std::int64_t width, const Tensor& like) {
    const auto along = [&](std::int64_t count) {
        const auto options = like.options().requires_grad(false);
        const Tensor part = torch::arange(1, count + 1, options) / static_cast<double>(count);
        return sine_code(part * two_pi, width / 2);
    };
    const Tensor down = along(rows).unsqueeze(1).expand({-1, columns, -1});
    const Tensor across = along(columns).unsqueeze(0).expand({rows, -1, -1});
    return torch::cat({down, across}, 2).flatten(0, 1);
}

LayerShape object_layer_shape() {
    LayerShape shape(encoder_width, 8);
    shape.hidden = 2048;
    shape.kind = Activation::relu;
    return shape;
}

PictureEncoderImpl::PictureEncoderImpl() {
    trunk_ = register_module("trunk", make_trunk());
    project_ =
        register_module("project", conv_with_bias(trunk_->channels(), encoder_width, Kernel(1)));
    for (int i = 0; i < encoder_layers; ++i) layers_->push_back(EncoderLayer(object_layer_shape()));
    register_module("layers", layers_);
}

EncodedPicture PictureEncoderImpl::forward(const Tensor& pictures) {
    const Tensor map = project_(trunk_(pictures));
    const Tensor positions =
        picture_positions(map.size(2), map.size(3), encoder_width, map.detach());
    Tensor memory = map.flatten(2).transpose(1, 2);
    for (const auto& layer : *layers_) {
        memory = layer->as<EncoderLayer>()->forward(memory, {}, positions);
    }
    return {memory, positions};
}

Tensors make_pictures_with_objects(std::int64_t batch, std::int64_t classes) {
    constexpr std::int64_t objects = 8;
    return {
        torch::randn({batch, 3, 480, 640}),
        torch::randint(classes, {batch, objects}, torch::kLong),
        torch::rand({batch, objects, 4}) * 0.3 + 0.2};
}

Tensor box_costs(const Tensor& found, const Tensor& wanted) {
    return box_distance(found.unsqueeze(2), wanted.unsqueeze(1));
}

Tensor box_loss(const Tensor& found, const Tensor& wanted) {
    return box_distance(found, wanted).mean();
}

Tensor best_pairs(const Tensor& costs, Choices& choices) {
    const torch::NoGradGuard no_grad;
    Tensors by_picture;
    for (const auto& picture : costs.unbind(0)) by_picture.push_back(cheapest_rows(picture));
    const Tensor best = torch::stack(by_picture);
    return choices.settle(best, [&](const Tensor& kept) { return as_cheap(costs, kept, best); });
}

Tensor paired(const Tensor& found, const Tensor& pairs) {
    return found.gather(1, pairs.unsqueeze(2).expand({-1, -1, found.size(2)}));
}

Tensor wanted_classes(
    const Tensor& classes, const Tensor& pairs, std::int64_t queries, std::int64_t nothing) {
    return torch::full({classes.size(0), queries}, nothing, classes.options())
        .scatter_(1, pairs, classes);
}

Tensor class_loss(const Tensor& scores, const Tensor& classes, const Tensor& pairs) {
    const std::int64_t nothing = scores.size(2) - 1;
    Tensor weights = torch::ones({nothing + 1}, scores.options().requires_grad(false));
    weights[nothing] = 0.1;
    const Tensor wanted = wanted_classes(classes, pairs, scores.size(1), nothing);
    return torch::cross_entropy_loss(scores.flatten(0, 1), wanted.flatten(), weights);
}

Tensor class_costs(const Tensor& scores, const Tensor& classes) {
    return -scores.softmax(-1).gather(2, classes.unsqueeze(1).expand({-1, scores.size(1), -1}));
}

YesOrNo focal_terms(const Tensor& scores) {
    const Tensor probability = scores.sigmoid();
    return {
        0.25 * (1 - probability).square() * torch::softplus(-scores),
        0.75 * probability.square() * torch::softplus(scores)};
}

YesOrNo entropy_terms(const Tensor& scores) {
    return {torch::softplus(-scores), torch::softplus(scores)};
}

Tensor focal_costs(const Tensor& scores, const Tensor& names) {
    const YesOrNo each = focal_terms(scores);
    return (each.yes - each.no).gather(2, names.unsqueeze(1).expand({-1, scores.size(1), -1}));
}

Tensor focal_loss(const Tensor& scores, const Tensor& names, const Tensor& pairs) {
    const auto classes = scores.size(2);
    const YesOrNo each = focal_terms(scores);
    const Tensor wanted = wanted_classes(names, pairs, scores.size(1), classes);
    const Tensor is =
        torch::one_hot(wanted, classes + 1).narrow(2, 0, classes).to(scores.scalar_type());
    return (is * each.yes + (1 - is) * each.no).sum() / static_cast<double>(names.numel());
}

}  // namespace vigil_bench::zoo
