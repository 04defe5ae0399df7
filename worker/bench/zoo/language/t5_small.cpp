#include <algorithm>
#include <cmath>
#include <vector>

#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Raffel et al. 2019, "Exploring the limits of transfer learning", T5 small: no biases, norms
// without mean, and a learned bias for each distance of two tokens.

namespace vigil_bench::zoo::t5_small {

constexpr std::int64_t vocabulary = 32128;
constexpr std::int64_t tokens = 128;
constexpr std::int64_t width = 512;
constexpr std::int64_t heads = 8;
constexpr std::int64_t hidden = 2048;
constexpr std::int64_t buckets = 32;
constexpr std::int64_t farthest = 128;
constexpr int layer_count = 6;
constexpr double dropout = 0.1;

struct RmsNormImpl final : nn::Module {
    RmsNormImpl() { scale = register_parameter("scale", torch::ones({width})); }

    Tensor forward(const Tensor& x) {
        return x * torch::rsqrt(x.square().mean({-1}, true) + 1e-6) * scale;
    }

    Tensor scale;
};
TORCH_MODULE(RmsNorm);

struct PlainAttentionImpl final : nn::Module {
    PlainAttentionImpl() {
        // The scores are not scaled; the queries' first weights are instead.
        const torch::NoGradGuard no_grad;
        query->weight.mul_(1 / std::sqrt(static_cast<double>(width / heads)));
    }

    Tensor forward(const Tensor& x, const Tensor& memory, const Tensor& bias) {
        const double dropped = is_training() ? dropout : 0;
        return out(attend(query(x), key(memory), value(memory), heads, 1.0, bias, dropped));
    }

    nn::Linear query = register_module("query", linear_without_bias(width, width));
    nn::Linear key = register_module("key", linear_without_bias(width, width));
    nn::Linear value = register_module("value", linear_without_bias(width, width));
    nn::Linear out = register_module("out", linear_without_bias(width, width));
};
TORCH_MODULE(PlainAttention);

enum class Side { encoder, decoder };

struct LayerImpl final : nn::Module {
    explicit LayerImpl(Side side) {
        if (side == Side::decoder) {
            cross_norm = register_module("cross_norm", RmsNorm());
            cross = register_module("cross", PlainAttention());
        }
        feed_norm = register_module("feed_norm", RmsNorm());
        feed = register_module(
            "feed",
            nn::Sequential(
                linear_without_bias(width, hidden),
                activation(Activation::relu),
                nn::Dropout(dropout),
                linear_without_bias(hidden, width)));
    }

    Tensor drop(const Tensor& branch) { return torch::dropout(branch, dropout, is_training()); }

    Tensor forward(Tensor x, const Tensor& bias, const Tensor& memory = {}) {
        const Tensor normal = self_norm(x);
        x = x + drop(self(normal, normal, bias));
        if (cross) x = x + drop(cross(cross_norm(x), memory, Tensor()));
        return x + drop(feed->forward(feed_norm(x)));
    }

    RmsNorm self_norm = register_module("self_norm", RmsNorm());
    PlainAttention self = register_module("self", PlainAttention());
    RmsNorm cross_norm = nullptr;
    PlainAttention cross = nullptr;
    RmsNorm feed_norm = nullptr;
    nn::Sequential feed = nullptr;
};
TORCH_MODULE(Layer);

/// Half of the buckets for near distances, one each, the rest growing by logarithm.
std::int64_t bucket_of(std::int64_t distance, std::int64_t count) {
    const std::int64_t exact = count / 2;
    if (distance < exact) return distance;
    const double ratio = std::log(static_cast<double>(distance) / static_cast<double>(exact)) /
                         std::log(static_cast<double>(farthest) / static_cast<double>(exact));
    const auto far = static_cast<std::int64_t>(ratio * static_cast<double>(count - exact));
    return std::min(count - 1, exact + far);
}

/// [n,n] buckets: of keys behind the query in the second half (encoder), or all as distance 0.
Tensor distance_buckets(std::int64_t count, Side side) {
    const std::int64_t half = side == Side::encoder ? buckets / 2 : buckets;
    std::vector<std::int64_t> table;
    for (std::int64_t query = 0; query < count; ++query) {
        for (std::int64_t key = 0; key < count; ++key) {
            const std::int64_t back = query - key;
            const bool ahead = side == Side::encoder && back < 0;
            const std::int64_t distance = ahead ? -back : std::max<std::int64_t>(0, back);
            table.push_back(bucket_of(distance, half) + (ahead ? half : 0));
        }
    }
    // A tensor that is made of numbers is a constant of a trace. One that is filled through an
    // accessor would be traced as memory that nobody has written.
    return torch::tensor(table).view({count, count});
}

struct T5 final : TranslationModel {
    T5() : TranslationModel(vocabulary, tokens) {
        for (int i = 0; i < layer_count; ++i) {
            encoder->push_back(Layer(Side::encoder));
            decoder->push_back(Layer(Side::decoder));
        }
        register_module("encoder", encoder);
        register_module("decoder", decoder);
        encoder_bias = register_module("encoder_bias", token_embedding(buckets, heads));
        decoder_bias = register_module("decoder_bias", token_embedding(buckets, heads));
        encoder_norm = register_module("encoder_norm", RmsNorm());
        decoder_norm = register_module("decoder_norm", RmsNorm());
    }

    /// [heads,n,n]
    static Tensor bias_of(nn::Embedding& table, std::int64_t count, Side side) {
        const Tensor numbers = distance_buckets(count, side).to(table->weight.device());
        return table(numbers).permute({2, 0, 1});
    }

    Tensor forward(const Tensor& source, const Tensor& target) override {
        const auto drop = [&](const Tensor& x) {
            return torch::dropout(x, dropout, is_training());
        };
        Tensor memory = drop(words(source));
        const Tensor near = bias_of(encoder_bias, source.size(1), Side::encoder);
        for (const auto& layer : *encoder) memory = layer->as<Layer>()->forward(memory, near);
        memory = drop(encoder_norm(memory));
        Tensor x = drop(words(target));
        const Tensor bias = bias_of(decoder_bias, target.size(1), Side::decoder) +
                            causal_bias(target.size(1), memory.detach());
        for (const auto& layer : *decoder) x = layer->as<Layer>()->forward(x, bias, memory);
        const double scale = 1 / std::sqrt(static_cast<double>(width));
        return tied_scores(drop(decoder_norm(x)) * scale, words);
    }

    nn::Embedding words = register_module("words", token_embedding(vocabulary, width));
    nn::ModuleList encoder;
    nn::ModuleList decoder;
    nn::Embedding encoder_bias = nullptr;
    nn::Embedding decoder_bias = nullptr;
    RmsNorm encoder_norm = nullptr;
    RmsNorm decoder_norm = nullptr;
};

const Registered<T5> registered(
    {"t5_small",
     "language",
     "T5 small, 128 tokens to 128",
     60'506'624,
     "Transformers t5-small; Raffel et al. 2019, section 3.7 (60 M)",
     1,
     2});

}  // namespace vigil_bench::zoo::t5_small
