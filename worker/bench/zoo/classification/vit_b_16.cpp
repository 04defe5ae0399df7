#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Dosovitskiy et al. 2020, "An image is worth 16x16 words", Table 1, ViT-Base.

namespace vigil_bench::zoo::vit_b_16 {

struct VisionTransformer final : ImageClassifier {
    VisionTransformer() {
        constexpr std::int64_t width = 768;
        constexpr std::int64_t patch = 16;
        constexpr std::int64_t tokens = 1 + 14 * 14;
        constexpr int layer_count = 12;
        patches = register_module(
            "patches", nn::Conv2d(nn::Conv2dOptions(3, width, patch).stride(patch)));
        class_token = register_parameter("class_token", torch::randn({1, 1, width}) * 0.02);
        positions = register_parameter("positions", torch::randn({1, tokens, width}) * 0.02);
        LayerShape shape(width, 12);
        shape.norm = NormPlace::before;
        shape.projections = Projections::fused;
        shape.dropout = 0;
        shape.epsilon = 1e-6;
        for (int i = 0; i < layer_count; ++i) layers->push_back(EncoderLayer(shape));
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

const Registered<VisionTransformer> registered(
    {"vit_b_16",
     "classification",
     "Vision transformer B/16, 224 x 224",
     86'567'656,
     "torchvision vit_b_16; Dosovitskiy et al. 2020, Table 1 (86 M)",
     1,
     2});

}  // namespace vigil_bench::zoo::vit_b_16
