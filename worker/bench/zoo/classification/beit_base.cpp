#include <cmath>

#include "worker/bench/zoo/blocks/image_classifier.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Bao et al. 2021, "BEiT: BERT pre-training of image transformers", base, patches of 16, as it is
// tuned for ImageNet: a learned bias for each distance of two patches, in every layer of its own,
// branches scaled by channel, and the mean of the patches classified.

namespace vigil_bench::zoo::beit_base {

constexpr std::int64_t width = 768;
constexpr std::int64_t heads = 12;
constexpr std::int64_t grid = 14;
constexpr std::int64_t patches_count = grid * grid;
constexpr std::int64_t span = 2 * grid - 1;
constexpr std::int64_t distances = span * span + 3;  ///< the last three: from, to, within the class
constexpr int layer_count = 12;
constexpr double first_scale = 0.1;
constexpr double last_drop = 0.1;
constexpr double epsilon = 1e-6;

/// [n,n], n = 1 + patches: the number of each pair's distance.
Tensor distance_numbers() {
    constexpr std::int64_t count = 1 + patches_count;
    Tensor table = torch::empty({count, count}, torch::kLong);
    auto access = table.accessor<std::int64_t, 2>();
    for (std::int64_t query = 0; query < patches_count; ++query) {
        for (std::int64_t key = 0; key < patches_count; ++key) {
            const std::int64_t down = query / grid - key / grid + grid - 1;
            const std::int64_t across = query % grid - key % grid + grid - 1;
            access[query + 1][key + 1] = down * span + across;
        }
    }
    for (std::int64_t patch = 1; patch < count; ++patch) {
        access[0][patch] = distances - 3;
        access[patch][0] = distances - 2;
    }
    access[0][0] = distances - 1;
    return table;
}

struct LayerImpl final : nn::Module {
    explicit LayerImpl(double drop) : drop_probability(drop) {}

    /// Keys have no bias.
    Tensor attention(const Tensor& x, const Tensor& numbers) {
        const Tensor bias = torch::cat({query_bias, torch::zeros_like(query_bias), value_bias});
        const auto parts = torch::linear(x, all->weight, bias).chunk(3, -1);
        const Tensor by_pair = near.index_select(0, numbers.flatten());
        const Tensor by_head =
            by_pair.view({numbers.size(0), numbers.size(1), heads}).permute({2, 0, 1});
        const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
        return out(attend(parts[0], parts[1], parts[2], heads, scale, by_head));
    }

    Tensor forward(const Tensor& x, const Tensor& numbers) {
        const auto drop = [&](const Tensor& branch) {
            return stochastic_depth(branch, drop_probability, is_training());
        };
        const Tensor y = x + drop(attention(norm1(x), numbers) * scale1);
        return y + drop(feed->forward(norm2(y)) * scale2);
    }

    double drop_probability;
    nn::LayerNorm norm1 = register_module("norm1", layer_norm(width, epsilon));
    nn::LayerNorm norm2 = register_module("norm2", layer_norm(width, epsilon));
    nn::Linear all = register_module("all", linear_without_bias(width, 3 * width));
    Tensor query_bias = register_parameter("query_bias", torch::randn({width}) * 0.02);
    Tensor value_bias = register_parameter("value_bias", torch::randn({width}) * 0.02);
    Tensor near = register_parameter(
        "near", torch::randn({distances, heads}) * 0.02);  ///< bias of each distance and head
    nn::Linear out = register_module("out", nn::Linear(width, width));
    nn::Sequential feed = register_module(
        "feed",
        nn::Sequential(
            nn::Linear(width, 4 * width),
            activation(Activation::gelu),
            nn::Linear(4 * width, width)));
    Tensor scale1 = register_parameter("scale1", torch::full({width}, first_scale));
    Tensor scale2 = register_parameter("scale2", torch::full({width}, first_scale));
};
TORCH_MODULE(Layer);

struct Beit final : ImageClassifier {
    Beit() {
        constexpr std::int64_t patch = 16;
        patches = register_module(
            "patches", nn::Conv2d(nn::Conv2dOptions(3, width, patch).stride(patch)));
        class_token = register_parameter("class_token", torch::randn({1, 1, width}) * 0.02);
        numbers = register_buffer("numbers", distance_numbers());
        for (int i = 0; i < layer_count; ++i) {
            layers->push_back(Layer(last_drop * i / (layer_count - 1)));
        }
        register_module("layers", layers);
        norm = register_module("norm", layer_norm(width, epsilon));
        head = register_module("head", nn::Linear(width, classes));
    }

    Tensor forward(const Tensor& pictures) override {
        const Tensor seen = patches(pictures).flatten(2).transpose(1, 2);
        Tensor x = torch::cat({class_token.expand({seen.size(0), -1, -1}), seen}, 1);
        for (const auto& layer : *layers) x = layer->as<Layer>()->forward(x, numbers);
        return head(norm(x.narrow(1, 1, patches_count).mean(1)));
    }

    nn::Conv2d patches = nullptr;
    Tensor class_token;
    Tensor numbers;
    nn::ModuleList layers;
    nn::LayerNorm norm = nullptr;
    nn::Linear head = nullptr;
};

const Registered<Beit> registered(
    {"beit_base",
     "classification",
     "BEiT base, patches of 16, 224 x 224",
     86'530'984,
     "timm beit_base_patch16_224, 86.53 M; Bao et al. 2021, section 3 (86 M)",
     1,
     2});

}  // namespace vigil_bench::zoo::beit_base
