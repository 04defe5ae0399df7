#include "worker/bench/zoo/blocks/sets/object_set.hpp"

// Carion et al. 2020, "End-to-end object detection with transformers", DETR on ResNet-50, with
// pictures of the smallest of its training scales.

namespace vigil_bench::zoo::detr_r50 {

constexpr std::int64_t width = 256;
constexpr std::int64_t queries = 100;
constexpr std::int64_t classes = 91;
constexpr int layer_count = 6;

struct Found {
    Tensor classes;  ///< [b,queries,classes + 1]
    Tensor boxes;    ///< [b,queries,4]
};

struct Detr final : Network {
    Tensors make_inputs(std::int64_t batch) const override {
        return make_pictures_with_objects(batch, classes);
    }

    /// What each layer of the decoder finds.
    std::vector<Found> forward(const Tensor& pictures) {
        const EncodedPicture seen = encoder->forward(pictures);
        const Tensor question = asked->weight.unsqueeze(0);
        Tensor x = torch::zeros(
            {pictures.size(0), queries, width}, seen.memory.options().requires_grad(false));
        std::vector<Found> found;
        for (const auto& layer : *decoder) {
            x = layer->as<DecoderLayer>()->forward(x, seen.memory, {}, question, seen.positions);
            const Tensor normal = norm(x);
            found.push_back({classify(normal), place->forward(normal).sigmoid()});
        }
        return found;
    }

    Tensors answer(const Tensors& inputs) override {
        const Found last = forward(inputs[0]).back();
        return {last.classes, last.boxes};
    }

    /// Of every layer, each with its own pairs.
    Tensor loss(const Tensors& inputs) override {
        const Tensor& names = inputs[1];
        const Tensor& boxes = inputs[2];
        choices.begin(inputs[0].scalar_type());
        Tensor sum = torch::zeros({}, inputs[0].options());
        for (const auto& found : forward(inputs[0])) {
            const Tensor costs = class_costs(found.classes, names) + box_costs(found.boxes, boxes);
            const Tensor pairs = best_pairs(costs, choices);
            sum = sum + class_loss(found.classes, names, pairs) +
                  box_loss(paired(found.boxes, pairs), boxes);
        }
        return sum;
    }

    PictureEncoder encoder = register_module("encoder", PictureEncoder());
    nn::ModuleList decoder = register_module(
        "decoder", list_of(layer_count, [](int) { return DecoderLayer(object_layer_shape()); }));
    nn::LayerNorm norm = register_module("norm", layer_norm(width));
    nn::Embedding asked = register_module("asked", nn::Embedding(queries, width));
    nn::Linear classify = register_module("classify", nn::Linear(width, classes + 1));
    nn::Sequential place = register_module("place", perceptron({width, width, width, 4}));
    Choices choices;
};

const Registered<Detr> registered(
    {"detr_r50",
     "detection",
     "DETR on ResNet-50, 480 x 640",
     41'524'768,
     "official DETR: 41,302,368 trained, 222,400 in the fixed stem and first stage; Carion et al. "
     "2020, Table 1 (41 M)",
     1,
     1});

}  // namespace vigil_bench::zoo::detr_r50
