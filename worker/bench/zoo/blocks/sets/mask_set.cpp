#include "worker/bench/zoo/blocks/sets/mask_set.hpp"

namespace vigil_bench::zoo {

namespace {

constexpr std::int64_t queries = 100;
constexpr int layer_count = 6;
constexpr MaskDistance mask_distance{&focal_terms, 20, 1};

/// 1 - the share in common.
Tensor gap(const Tensor& common, const Tensor& found, const Tensor& wanted) {
    return 1 - (2 * common + 1) / (found + wanted + 1);
}

}  // namespace

Tensors make_masks(std::int64_t batch, std::int64_t classes, std::int64_t side) {
    constexpr std::int64_t objects = 8;
    constexpr std::int64_t blobs = 8;
    const Tensor blurred = torch::upsample_bilinear2d(
        torch::rand({batch, objects, blobs, blobs}), {side, side}, false);
    return {
        torch::randint(classes, {batch, objects}, torch::kLong),
        (blurred > 0.6).to(torch::kFloat).flatten(2)};
}

Tensor MaskDistance::costs(const Tensor& scores, const Tensor& wanted) const {
    const Tensor columns = wanted.transpose(1, 2);
    const YesOrNo each = terms(scores);
    const Tensor off = (torch::bmm(each.yes, columns) + torch::bmm(each.no, 1 - columns)) /
                       static_cast<double>(wanted.size(2));
    const Tensor probability = scores.sigmoid();
    const Tensor apart =
        gap(torch::bmm(probability, columns), probability.sum(2, true), wanted.sum(2).unsqueeze(1));
    return point_weight * off + dice_weight * apart;
}

Tensor MaskDistance::loss(const Tensor& scores, const Tensor& wanted) const {
    const YesOrNo each = terms(scores);
    const Tensor off = (wanted * each.yes + (1 - wanted) * each.no).mean(2);
    const Tensor probability = scores.sigmoid();
    const Tensor apart = gap((probability * wanted).sum(2), probability.sum(2), wanted.sum(2));
    return (point_weight * off + dice_weight * apart).mean();
}

MaskDecoderImpl::MaskDecoderImpl(std::int64_t trunk_channels, std::int64_t classes) {
    project_ = register_module("project", conv_with_bias(trunk_channels, width, Kernel(1)));
    layers_ = register_module(
        "layers", list_of(layer_count, [](int) { return DecoderLayer(object_layer_shape()); }));
    norm_ = register_module("norm", layer_norm(width));
    asked_ = register_module("asked", nn::Embedding(queries, width));
    classify_ = register_module("classify", nn::Linear(width, classes + 1));
    to_mask_ = register_module("to_mask", perceptron({width, width, width, width}));
}

std::vector<FoundMasks> MaskDecoderImpl::forward(const Tensor& last_map, const Tensor& pixels) {
    const Tensor map = project_(last_map);
    const Tensor positions = picture_positions(map.size(2), map.size(3), width, map.detach());
    const Tensor memory = map.flatten(2).transpose(1, 2);
    const Tensor question = asked_->weight.unsqueeze(0);
    Tensor x = torch::zeros({map.size(0), queries, width}, memory.options().requires_grad(false));
    std::vector<FoundMasks> found;
    for (const auto& layer : *layers_) {
        x = layer->as<DecoderLayer>()->forward(x, memory, {}, question, positions);
        const Tensor normal = norm_(x);
        found.push_back(
            {classify_(normal), torch::bmm(to_mask_->forward(normal), pixels.flatten(2))});
    }
    return found;
}

Tensor MaskDecoderImpl::loss(const std::vector<FoundMasks>& found, const Tensors& wanted) {
    const Tensor& names = wanted[0];
    const Tensor& masks = wanted[1];
    choices_.begin(masks.scalar_type());
    Tensor sum = torch::zeros({}, masks.options());
    for (const auto& layer : found) {
        const Tensor costs =
            class_costs(layer.classes, names) + mask_distance.costs(layer.masks.detach(), masks);
        const Tensor pairs = best_pairs(costs, choices_);
        sum = sum + class_loss(layer.classes, names, pairs) +
              mask_distance.loss(paired(layer.masks, pairs), masks);
    }
    return sum;
}

}  // namespace vigil_bench::zoo
