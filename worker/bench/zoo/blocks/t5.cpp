#include "worker/bench/zoo/blocks/t5.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

namespace vigil_bench::zoo {

namespace {

constexpr std::int64_t t5_vocabulary = 32128;
constexpr std::int64_t buckets = 32;
constexpr std::int64_t farthest = 128;
constexpr double t5_dropout = 0.1;

struct PlainAttentionImpl final : nn::Module {
    explicit PlainAttentionImpl(const T5Shape& shape) : heads(shape.heads) {
        const auto project = [&](const char* name) {
            return register_module(name, linear_without_bias(shape.width, shape.width));
        };
        query = project("query");
        key = project("key");
        value = project("value");
        out = project("out");
        // The scores are not scaled; the queries' first weights are instead.
        const torch::NoGradGuard no_grad;
        query->weight.mul_(1 / std::sqrt(static_cast<double>(shape.width / heads)));
    }

    Tensor forward(const Tensor& x, const Tensor& memory, const Tensor& bias) {
        const double dropped = is_training() ? t5_dropout : 0;
        return out(attend(query(x), key(memory), value(memory), heads, 1.0, bias, dropped));
    }

    std::int64_t heads;
    nn::Linear query = nullptr;
    nn::Linear key = nullptr;
    nn::Linear value = nullptr;
    nn::Linear out = nullptr;
};
TORCH_MODULE(PlainAttention);

enum class Side { encoder, decoder };

struct T5LayerImpl final : nn::Module {
    T5LayerImpl(const T5Shape& shape, Side side) {
        const auto norm = [&](const char* name) {
            return register_module(name, RmsNorm(shape.width));
        };
        self_norm = norm("self_norm");
        self = register_module("self", PlainAttention(shape));
        if (side == Side::decoder) {
            cross_norm = norm("cross_norm");
            cross = register_module("cross", PlainAttention(shape));
        }
        feed_norm = norm("feed_norm");
        feed = register_module(
            "feed",
            nn::Sequential(
                linear_without_bias(shape.width, 4 * shape.width),
                activation(Activation::relu),
                nn::Dropout(t5_dropout),
                linear_without_bias(4 * shape.width, shape.width)));
    }

    Tensor drop(const Tensor& branch) { return torch::dropout(branch, t5_dropout, is_training()); }

    Tensor forward(Tensor x, const Tensor& bias, const Tensor& memory = {}) {
        const Tensor normal = self_norm(x);
        x = x + drop(self(normal, normal, bias));
        if (cross) x = x + drop(cross(cross_norm(x), memory, Tensor()));
        return x + drop(feed->forward(feed_norm(x)));
    }

    RmsNorm self_norm = nullptr;
    PlainAttention self = nullptr;
    RmsNorm cross_norm = nullptr;
    PlainAttention cross = nullptr;
    RmsNorm feed_norm = nullptr;
    nn::Sequential feed = nullptr;
};
TORCH_MODULE(T5Layer);

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
    std::vector<std::int64_t> of_distance;
    for (std::int64_t back = 1 - count; back < count; ++back) {
        const bool ahead = side == Side::encoder && back < 0;
        const std::int64_t distance = ahead ? -back : std::max<std::int64_t>(0, back);
        of_distance.push_back(bucket_of(distance, half) + (ahead ? half : 0));
    }
    // A tensor that is made of numbers is a constant of a trace. One that is filled through an
    // accessor would be traced as memory that nobody has written.
    const Tensor places = torch::arange(count, torch::kLong);
    const Tensor back = places.unsqueeze(1) - places + (count - 1);
    return torch::tensor(of_distance).index_select(0, back.flatten()).view({count, count});
}

struct T5 final : TranslationModel {
    explicit T5(const T5Shape& shape)
        : TranslationModel(t5_vocabulary, shape.tokens), width(shape.width) {
        words = register_module("words", token_embedding(t5_vocabulary, width));
        for (int i = 0; i < shape.layer_count; ++i) {
            encoder->push_back(T5Layer(shape, Side::encoder));
            decoder->push_back(T5Layer(shape, Side::decoder));
        }
        register_module("encoder", encoder);
        register_module("decoder", decoder);
        encoder_bias = register_module("encoder_bias", token_embedding(buckets, shape.heads));
        decoder_bias = register_module("decoder_bias", token_embedding(buckets, shape.heads));
        encoder_norm = register_module("encoder_norm", RmsNorm(width));
        decoder_norm = register_module("decoder_norm", RmsNorm(width));
    }

    /// [heads,n,n]
    static Tensor bias_of(nn::Embedding& table, std::int64_t count, Side side) {
        const Tensor numbers = distance_buckets(count, side).to(table->weight.device());
        return table(numbers).permute({2, 0, 1});
    }

    Tensor forward(const Tensor& source, const Tensor& target) override {
        const auto drop = [&](const Tensor& x) {
            return torch::dropout(x, t5_dropout, is_training());
        };
        Tensor memory = drop(words(source));
        const Tensor near = bias_of(encoder_bias, source.size(1), Side::encoder);
        for (const auto& layer : *encoder) memory = layer->as<T5Layer>()->forward(memory, near);
        memory = drop(encoder_norm(memory));
        Tensor x = drop(words(target));
        const Tensor bias = bias_of(decoder_bias, target.size(1), Side::decoder) +
                            causal_bias(target.size(1), memory.detach());
        for (const auto& layer : *decoder) x = layer->as<T5Layer>()->forward(x, bias, memory);
        const double scale = 1 / std::sqrt(static_cast<double>(width));
        return tied_scores(drop(decoder_norm(x)) * scale, words);
    }

    std::int64_t width;
    nn::Embedding words = nullptr;
    nn::ModuleList encoder;
    nn::ModuleList decoder;
    nn::Embedding encoder_bias = nullptr;
    nn::Embedding decoder_bias = nullptr;
    RmsNorm encoder_norm = nullptr;
    RmsNorm decoder_norm = nullptr;
};

}  // namespace

std::shared_ptr<Network> make_t5(const T5Shape& shape) {
    return std::make_shared<T5>(shape);
}

}  // namespace vigil_bench::zoo
