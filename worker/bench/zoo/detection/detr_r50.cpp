#include "worker/bench/zoo/blocks/perceptron.hpp"
#include "worker/bench/zoo/blocks/residual_net.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Carion et al. 2020, "End-to-end object detection with transformers", DETR on ResNet-50, with
// pictures of the smallest of its training scales.

namespace vigil_bench::zoo::detr_r50 {

namespace {

constexpr std::int64_t width = 256;
constexpr std::int64_t queries = 100;
constexpr std::int64_t classes = 91;
constexpr std::int64_t objects = 8;  ///< in each picture
constexpr int layer_count = 6;

struct Found {
    Tensor classes;  ///< [b,queries,classes + 1]
    Tensor boxes;    ///< [b,queries,4], centre and size, 0 to 1
};

Tensor corners(const Tensor& boxes) {
    const auto parts = boxes.chunk(2, -1);
    return torch::cat({parts[0] - parts[1] / 2, parts[0] + parts[1] / 2}, -1);
}

Tensor area(const Tensor& from, const Tensor& to) {
    return (to - from).clamp_min(0).prod(-1);
}

/// 1 - generalized intersection over union (Rezatofighi et al. 2019).
Tensor box_distance(const Tensor& boxes, const Tensor& wanted) {
    const auto a = corners(boxes).chunk(2, -1);
    const auto b = corners(wanted).chunk(2, -1);
    const Tensor common = area(torch::maximum(a[0], b[0]), torch::minimum(a[1], b[1]));
    const Tensor together = area(a[0], a[1]) + area(b[0], b[1]) - common;
    const Tensor around = area(torch::minimum(a[0], b[0]), torch::maximum(a[1], b[1]));
    return 1 - common / together + (around - together) / around;
}

ResidualShape trunk_shape() {
    ResidualShape shape;
    shape.block = ResidualShape::Block::bottleneck;
    shape.counts = {3, 4, 6, 3};
    shape.norm = Norm::frozen;
    return shape;
}

struct Detr final : Network {
    Detr() : trunk(trunk_shape()) {
        register_module("trunk", trunk);
        for (auto& item : trunk->named_parameters()) {  // stem and first stage are not trained
            for (const auto* prefix : {"stem.", "stages.0.", "stages.1.", "stages.2."}) {
                if (item.key().rfind(prefix, 0) == 0) item.value().requires_grad_(false);
            }
        }
        project = register_module("project", conv_with_bias(trunk->channels(), width, Kernel(1)));
        LayerShape shape;
        shape.width = width;
        shape.heads = 8;
        shape.hidden = 2048;
        shape.kind = Activation::relu;
        for (int i = 0; i < layer_count; ++i) {
            encoder->push_back(EncoderLayer(shape));
            decoder->push_back(DecoderLayer(shape));
        }
        register_module("encoder", encoder);
        register_module("decoder", decoder);
        norm = register_module("norm", layer_norm(width));
        asked = register_module("asked", nn::Embedding(queries, width));
        classify = register_module("classify", nn::Linear(width, classes + 1));
        place = register_module("place", perceptron({width, width, width, 4}));
    }

    /// Pictures; classes and boxes of their objects.
    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randn({batch, 3, 480, 640}),
            torch::randint(classes, {batch, objects}, torch::kLong),
            torch::rand({batch, objects, 4}) * 0.3 + 0.2};
    }

    /// Sines of row and column, [h*w,width].
    static Tensor picture_positions(std::int64_t height, std::int64_t columns, const Tensor& like) {
        const Tensor rows = sine_positions(height, width / 2, like).unsqueeze(1);
        const Tensor across = sine_positions(columns, width / 2, like).unsqueeze(0);
        return torch::cat({rows.expand({-1, columns, -1}), across.expand({height, -1, -1})}, 2)
            .flatten(0, 1);
    }

    /// What each layer of the decoder finds.
    std::vector<Found> forward(const Tensor& pictures) {
        const Tensor map = project(trunk(pictures));
        const Tensor positions = picture_positions(map.size(2), map.size(3), map.detach());
        Tensor memory = map.flatten(2).transpose(1, 2);
        for (const auto& layer : *encoder) {
            memory = layer->as<EncoderLayer>()->forward(memory, {}, positions);
        }
        const Tensor question = asked->weight.unsqueeze(0);
        Tensor x = torch::zeros({map.size(0), queries, width}, map.options());
        std::vector<Found> found;
        for (const auto& layer : *decoder) {
            x = layer->as<DecoderLayer>()->forward(x, memory, {}, question, positions);
            const Tensor normal = norm(x);
            found.push_back({classify(normal), place->forward(normal).sigmoid()});
        }
        return found;
    }

    Tensors answer(const Tensors& inputs) override {
        const Found last = forward(inputs[0]).back();
        return {last.classes, last.boxes};
    }

    /// The i-th object is the i-th query's: no search for the best pairs, which is no tensor work.
    Tensor loss(const Tensors& inputs) override {
        Tensor weights = torch::ones({classes + 1}, inputs[0].options());
        weights[classes] = 0.1;
        const Tensor nothing =
            torch::full({inputs[0].size(0), queries - objects}, classes, torch::kLong);
        const Tensor wanted = torch::cat({inputs[1], nothing}, 1);
        Tensor sum = torch::zeros({}, inputs[0].options());
        for (const auto& found : forward(inputs[0])) {
            const Tensor boxes = found.boxes.narrow(1, 0, objects);
            sum =
                sum +
                torch::cross_entropy_loss(found.classes.flatten(0, 1), wanted.flatten(), weights) +
                5 * torch::l1_loss(boxes, inputs[2]) + 2 * box_distance(boxes, inputs[2]).mean();
        }
        return sum;
    }

    ResidualTrunk trunk;
    nn::Conv2d project = nullptr;
    nn::ModuleList encoder;
    nn::ModuleList decoder;
    nn::LayerNorm norm = nullptr;
    nn::Embedding asked = nullptr;
    nn::Linear classify = nullptr;
    nn::Sequential place = nullptr;
};

const Registered registered{
    {"detr_r50", "detection", "DETR on ResNet-50, 480 x 640", 41'524'768, 1, 1, &make<Detr>}};

}  // namespace

}  // namespace vigil_bench::zoo::detr_r50
