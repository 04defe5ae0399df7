#include "worker/bench/zoo/blocks/vision_transformer.hpp"

#include "worker/bench/zoo/blocks/transformer.hpp"

namespace vigil_bench::zoo {

namespace {

struct VisionTransformer final : ImageClassifier {
    explicit VisionTransformer(const VisionShape& vision) {
        const std::int64_t width = vision.width;
        const std::int64_t side = 224 / vision.patch;
        const std::int64_t tokens = 1 + side * side;
        patches = register_module(
            "patches", nn::Conv2d(nn::Conv2dOptions(3, width, vision.patch).stride(vision.patch)));
        class_token = register_parameter("class_token", torch::randn({1, 1, width}) * 0.02);
        positions = register_parameter("positions", torch::randn({1, tokens, width}) * 0.02);
        LayerShape shape(width, vision.heads);
        shape.hidden = vision.hidden;
        shape.norm = NormPlace::before;
        shape.projections = Projections::fused;
        shape.dropout = 0;
        shape.epsilon = 1e-6;
        for (int i = 0; i < vision.layer_count; ++i) layers->push_back(EncoderLayer(shape));
        register_module("layers", layers);
        norm = register_module("norm", layer_norm(width, shape.epsilon));
        head = register_module("head", nn::Linear(width, classes));
    }

    Tensor forward(const Tensor& pictures) override {
        const Tensor seen = patches(pictures).flatten(2).transpose(1, 2);
        Tensor x = torch::cat({class_token.expand({seen.size(0), -1, -1}), seen}, 1) + positions;
        for (const auto& layer : *layers) x = layer->as<EncoderLayer>()->forward(x);
        return head(norm(x).select(1, 0));
    }

    nn::Conv2d patches = nullptr;
    Tensor class_token;
    Tensor positions;
    nn::ModuleList layers;
    nn::LayerNorm norm = nullptr;
    nn::Linear head = nullptr;
};

}  // namespace

std::shared_ptr<Network> make_vision_transformer(const VisionShape& shape) {
    return std::make_shared<VisionTransformer>(shape);
}

}  // namespace vigil_bench::zoo
