#include "worker/bench/zoo/blocks/object_set.hpp"

// Cheng et al. 2021, "Per-pixel classification is not all you need for semantic segmentation":
// MaskFormer's transformer decoder, behind ResNet-50 on the 150 classes of ADE20K. Its inputs are
// the trunk's last map and the pixel decoder's, of a picture of 512 x 512.

namespace vigil_bench::zoo::maskformer_decoder {

constexpr std::int64_t width = 256;
constexpr std::int64_t trunk_channels = 2048;
constexpr std::int64_t queries = 100;
constexpr std::int64_t classes = 150;
constexpr std::int64_t objects = 8;  ///< in each picture
constexpr std::int64_t side = 512;
constexpr int layer_count = 6;
constexpr double focal_weight = 20;

struct Found {
    Tensor classes;  ///< [b,queries,classes + 1]
    Tensor masks;    ///< [b,queries,pixels], scores
};

/// 1 - the share in common (Milletari et al. 2016).
Tensor dice(const Tensor& common, const Tensor& found, const Tensor& wanted) {
    return 1 - (2 * common + 1) / (found + wanted + 1);
}

/// Of each pair of found and wanted masks, [b,queries,objects].
Tensor mask_costs(const Tensor& scores, const Tensor& wanted) {
    const Tensor columns = wanted.transpose(1, 2);
    const FocalLoss focal(scores);
    const Tensor off = (torch::bmm(focal.yes, columns) + torch::bmm(focal.no, 1 - columns)) /
                       static_cast<double>(wanted.size(2));
    const Tensor probability = scores.sigmoid();
    const Tensor apart = dice(
        torch::bmm(probability, columns), probability.sum(2, true), wanted.sum(2).unsqueeze(1));
    return focal_weight * off + apart;
}

/// Of pairs already made, their mean.
Tensor mask_loss(const Tensor& scores, const Tensor& wanted) {
    const FocalLoss focal(scores);
    const Tensor off = (wanted * focal.yes + (1 - wanted) * focal.no).mean(2);
    const Tensor probability = scores.sigmoid();
    const Tensor apart = dice((probability * wanted).sum(2), probability.sum(2), wanted.sum(2));
    return (focal_weight * off + apart).mean();
}

struct MaskFormerDecoder final : Network {
    /// The two maps; classes and masks of the objects, each a few blobs.
    Tensors make_inputs(std::int64_t batch) const override {
        constexpr std::int64_t blobs = 8;
        const Tensor blurred = torch::upsample_bilinear2d(
            torch::rand({batch, objects, blobs, blobs}), {side / 4, side / 4}, false);
        return {
            torch::randn({batch, trunk_channels, side / 32, side / 32}).relu(),
            torch::randn({batch, width, side / 4, side / 4}),
            torch::randint(classes, {batch, objects}, torch::kLong),
            (blurred > 0.6).to(torch::kFloat).flatten(2)};
    }

    /// What each layer finds.
    std::vector<Found> forward(const Tensor& last_map, const Tensor& pixels) {
        const Tensor map = project(last_map);
        const Tensor positions = picture_positions(map.size(2), map.size(3), width, map.detach());
        const Tensor memory = map.flatten(2).transpose(1, 2);
        const Tensor question = asked->weight.unsqueeze(0);
        Tensor x =
            torch::zeros({map.size(0), queries, width}, memory.options().requires_grad(false));
        std::vector<Found> found;
        for (const auto& layer : *layers) {
            x = layer->as<DecoderLayer>()->forward(x, memory, {}, question, positions);
            const Tensor normal = norm(x);
            found.push_back(
                {classify(normal), torch::bmm(to_mask->forward(normal), pixels.flatten(2))});
        }
        return found;
    }

    Tensors answer(const Tensors& inputs) override {
        const Found last = forward(inputs[0], inputs[1]).back();
        return {last.classes, last.masks};
    }

    /// Of every layer, each with its own pairs.
    Tensor loss(const Tensors& inputs) override {
        const Tensor& names = inputs[2];
        const Tensor& masks = inputs[3];
        choices.begin(inputs[0].scalar_type());
        Tensor sum = torch::zeros({}, inputs[0].options());
        for (const auto& found : forward(inputs[0], inputs[1])) {
            const Tensor costs =
                class_costs(found.classes, names) + mask_costs(found.masks.detach(), masks);
            const Tensor pairs = best_pairs(costs, choices);
            sum = sum + class_loss(found.classes, names, pairs) +
                  mask_loss(paired(found.masks, pairs), masks);
        }
        return sum;
    }

    nn::Conv2d project =
        register_module("project", conv_with_bias(trunk_channels, width, Kernel(1)));
    nn::ModuleList layers = register_module(
        "layers", list_of(layer_count, [](int) { return DecoderLayer(object_layer_shape()); }));
    nn::LayerNorm norm = register_module("norm", layer_norm(width));
    nn::Embedding asked = register_module("asked", nn::Embedding(queries, width));
    nn::Linear classify = register_module("classify", nn::Linear(width, classes + 1));
    nn::Sequential to_mask = register_module("to_mask", perceptron({width, width, width, width}));
    Choices choices;
};

const Registered<MaskFormerDecoder> registered(
    {"maskformer_decoder",
     "segmentation",
     "MaskFormer's transformer decoder, maps of 512 x 512",
     10'259'351,
     "Cheng et al. 2021: six layers of 256, 100 queries, 150 classes: from its sizes; the whole is "
     "41.3 M (Table 1: 41 M)",
     1,
     1});

}  // namespace vigil_bench::zoo::maskformer_decoder
