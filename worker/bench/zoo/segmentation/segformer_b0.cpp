#include <cmath>

#include "worker/bench/zoo/blocks/transformer.hpp"

// Xie et al. 2021, "SegFormer", MiT-B0 with its head on the 150 classes of ADE20K.

namespace vigil_bench::zoo::segformer_b0 {

constexpr std::int64_t side = 512;
constexpr std::int64_t classes = 150;
constexpr std::int64_t head_width = 256;

struct StageShape {
    std::int64_t in, width, heads, reduction, size, stride;
};

/// [b,n,c] -> [b,c,h,w]
Tensor as_map(const Tensor& x, std::int64_t height) {
    return x.transpose(1, 2).reshape({x.size(0), x.size(2), height, x.size(1) / height});
}

Tensor as_tokens(const Tensor& map) {
    return map.flatten(2).transpose(1, 2);
}

/// Attention to a shrunk picture, then a feed-forward part with a convolution by channel in it.
struct MixLayerImpl final : nn::Module {
    explicit MixLayerImpl(const StageShape& stage) : shape(stage), width(stage.width) {
        if (stage.reduction > 1) {
            reduce = register_module(
                "reduce",
                nn::Conv2d(
                    nn::Conv2dOptions(width, width, stage.reduction).stride(stage.reduction)));
            reduce_norm = register_module("reduce_norm", layer_norm(width));
        }
        up = register_module("up", nn::Linear(width, 4 * width));
        mix = register_module("mix", conv_with_bias(4 * width, 4 * width, Kernel(3, 1, 4 * width)));
        down = register_module("down", nn::Linear(4 * width, width));
    }

    Tensor attention(const Tensor& x, std::int64_t height) {
        Tensor seen = x;
        if (reduce) seen = reduce_norm(as_tokens(reduce(as_map(x, height))));
        const double scale = 1 / std::sqrt(static_cast<double>(width / shape.heads));
        return out(attend(query(x), key(seen), value(seen), shape.heads, scale));
    }

    Tensor forward(const Tensor& x, std::int64_t height) {
        const Tensor y = x + attention(norm1(x), height);
        const Tensor mixed = as_tokens(mix(as_map(up(norm2(y)), height)));
        return y + down(torch::gelu(mixed));
    }

    StageShape shape;
    std::int64_t width;
    nn::LayerNorm norm1 = register_module("norm1", layer_norm(width));
    nn::LayerNorm norm2 = register_module("norm2", layer_norm(width));
    nn::Linear query = register_module("query", nn::Linear(width, width));
    nn::Linear key = register_module("key", nn::Linear(width, width));
    nn::Linear value = register_module("value", nn::Linear(width, width));
    nn::Linear out = register_module("out", nn::Linear(width, width));
    nn::Conv2d reduce = nullptr;
    nn::LayerNorm reduce_norm = nullptr;
    nn::Linear up = nullptr;
    nn::Conv2d mix = nullptr;
    nn::Linear down = nullptr;
};
TORCH_MODULE(MixLayer);

struct StageImpl final : nn::Module {
    explicit StageImpl(const StageShape& stage) : shape(stage) {}

    Tensor forward(const Tensor& pictures) {
        const Tensor map = patches(pictures);
        Tensor x = patch_norm(as_tokens(map));
        for (const auto& layer : *layers) x = layer->as<MixLayer>()->forward(x, map.size(2));
        return as_map(norm(x), map.size(2));
    }

    StageShape shape;
    nn::Conv2d patches = register_module(
        "patches", conv_with_bias(shape.in, shape.width, Kernel(shape.size, shape.stride)));
    nn::LayerNorm patch_norm = register_module("patch_norm", layer_norm(shape.width));
    nn::ModuleList layers =
        register_module("layers", list_of(2, [this](int) { return MixLayer(shape); }));
    nn::LayerNorm norm = register_module("norm", layer_norm(shape.width));
};
TORCH_MODULE(Stage);

struct SegFormer final : Network {
    SegFormer() {
        const std::vector<StageShape> shapes = {
            {3, 32, 1, 8, 7, 4},
            {32, 64, 2, 4, 3, 2},
            {64, 160, 5, 2, 3, 2},
            {160, 256, 8, 1, 3, 2}};
        for (const auto& shape : shapes) {
            stages->push_back(Stage(shape));
            unify->push_back(nn::Linear(shape.width, head_width));
        }
        register_module("stages", stages);
        register_module("unify", unify);
        const auto all = static_cast<std::int64_t>(shapes.size()) * head_width;
        head = register_module("head", conv_norm(all, head_width, Kernel(1)));
        head->push_back(nn::Dropout(0.1));
        head->push_back(conv_with_bias(head_width, classes, Kernel(1)));
    }

    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randn({batch, 3, side, side}),
            torch::randint(classes, {batch, side / 4, side / 4}, torch::kLong)};
    }

    Tensor forward(const Tensor& pictures) {
        Tensor x = pictures;
        Tensors maps;
        for (std::size_t i = 0; i < stages->size(); ++i) {
            x = stages[i]->as<Stage>()->forward(x);
            const Tensor map = as_map(unify[i]->as<nn::Linear>()->forward(as_tokens(x)), x.size(2));
            maps.push_back(torch::upsample_bilinear2d(map, {side / 4, side / 4}, false));
        }
        return head->forward(torch::cat(maps, 1));
    }

    Tensors answer(const Tensors& inputs) override { return {forward(inputs[0])}; }

    Tensor loss(const Tensors& inputs) override {
        return torch::cross_entropy_loss(forward(inputs[0]), inputs[1]);
    }

    nn::ModuleList stages;
    nn::ModuleList unify;
    nn::Sequential head = nullptr;
};

const Registered<SegFormer> registered(
    {"segformer_b0",
     "segmentation",
     "SegFormer-B0, 512 x 512",
     3'752'694,
     "Transformers nvidia/segformer-b0-finetuned-ade-512-512; Xie et al. 2021, Table 1 (3.8 M)",
     1,
     1});

}  // namespace vigil_bench::zoo::segformer_b0
