#include <cmath>

#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"
#include "worker/bench/zoo/choices.hpp"

// Kitaev et al. 2020, "Reformer: the efficient transformer", of the size that TorchBench takes:
// tokens attend to their neighbours in one layer, and in the next to those of about the same bucket
// of a hash (one round). Two streams feed each other, as in its reversible layers; the backward
// pass keeps what it needs instead of computing it again. The hash's rotations stay the same, so
// that equal inputs give equal answers.

namespace vigil_bench::zoo::reformer {

constexpr std::int64_t vocabulary = 320;
constexpr std::int64_t rows = 64;  ///< of the table of positions
constexpr std::int64_t tokens = rows * 64;
constexpr std::int64_t width = 256;
constexpr std::int64_t row_width = 64;  ///< the part of a position's code that its row gives
constexpr std::int64_t hidden = 512;
constexpr std::int64_t heads = 12;
constexpr std::int64_t head_width = 64;
constexpr std::int64_t chunk = 64;
constexpr std::int64_t buckets = 2 * tokens / chunk;
constexpr int layer_count = 6;
constexpr double dropout = 0.05;
constexpr double epsilon = 1e-12;
constexpr std::int64_t last_dim = -1;  // argsort takes a bool there, too

/// A token attends to itself only where it sees no other.
constexpr double own_score = -1e4;

/// Another bucket is as good whose score is this part of the largest.
constexpr double tie_ratio = 0.99;

/// [b,n,heads*d] -> [b,heads,n,d]
Tensor split_heads(const Tensor& x) {
    return x.view({x.size(0), x.size(1), heads, head_width}).transpose(1, 2);
}

/// [b,heads,n,...] -> [b,heads,n/chunk,chunk,...]
Tensor chunks(const Tensor& x) {
    auto sizes = x.sizes().vec();
    sizes[2] /= chunk;
    sizes.insert(sizes.begin() + 3, chunk);
    return x.reshape(sizes);
}

/// Of each chunk: the one before it, the first's being the last, and itself.
Tensor with_neighbour(const Tensor& x) {
    return torch::cat({x.roll(1, 2), x}, 3);
}

/// Scores of each chunk and its neighbour, times values: [b,heads,n,d].
Tensor mix(Tensor scores, const Tensor& values, double drop_probability) {
    const Tensor weights = torch::dropout(scores.softmax(-1), drop_probability, true);
    return torch::matmul(weights, with_neighbour(chunks(values))).flatten(2, 3);
}

struct LocalAttentionImpl final : nn::Module {
    Tensor forward(const Tensor& x) {
        const double scale = 1 / std::sqrt(static_cast<double>(head_width));
        const Tensor asking = chunks(split_heads(query(x)) * scale);
        const Tensor keys = with_neighbour(chunks(split_heads(key(x))));
        const Tensor scores = torch::matmul(asking, keys.transpose(-1, -2));
        const Tensor mixed = mix(scores, split_heads(value(x)), is_training() ? dropout : 0);
        return out(mixed.transpose(1, 2).flatten(2));
    }

    nn::Linear query = register_module("query", linear_without_bias(width, heads* head_width));
    nn::Linear key = register_module("key", linear_without_bias(width, heads* head_width));
    nn::Linear value = register_module("value", linear_without_bias(width, heads* head_width));
    nn::Linear out = register_module("out", linear_without_bias(heads* head_width, width));
};
TORCH_MODULE(LocalAttention);

/// Queries are keys, too.
struct HashAttentionImpl final : nn::Module {
    /// Each vector's nearest direction among the rotations and their opposites, [b,heads,n].
    Tensor bucket_of(const Tensor& vectors, Choices& choices) const {
        const torch::NoGradGuard no_grad;
        const Tensor half = torch::matmul(vectors, rotations);
        const Tensor scores = torch::cat({half, -half}, -1);
        const Tensor best = scores.argmax(-1);
        return choices.settle(best, [&](const Tensor& kept) {
            const auto score_of = [&](const Tensor& bucket) {
                return scores.gather(-1, bucket.unsqueeze(-1)).squeeze(-1);
            };
            return score_of(kept) >= tie_ratio * score_of(best);
        });
    }

    Tensor forward(const Tensor& x, Choices& choices) {
        const Tensor vectors = split_heads(query(x));
        const Tensor places = torch::arange(x.size(1), bucket_options(x));
        const Tensor order = (bucket_of(vectors, choices) * x.size(1) + places)
                                 .argsort(last_dim);  // by bucket, then place
        const auto sorted = [&](const Tensor& by_place, const Tensor& by) {
            return by_place.gather(2, by.unsqueeze(-1).expand({-1, -1, -1, head_width}));
        };
        const Tensor asking = chunks(sorted(vectors, order));
        const Tensor size = (asking.square().mean(-1, true) + 1e-6).sqrt();
        const Tensor keys = asking / (size * std::sqrt(static_cast<double>(head_width)));
        const Tensor scores = torch::matmul(asking, with_neighbour(keys).transpose(-1, -2));
        const Tensor place = chunks(order);
        const Tensor own = place.unsqueeze(-1) == with_neighbour(place).unsqueeze(-2);
        const Tensor mixed =
            mix(scores.masked_fill(own, own_score), sorted(split_heads(value(x)), order), 0);
        return out(sorted(mixed, order.argsort(last_dim)).transpose(1, 2).flatten(2));
    }

    static torch::TensorOptions bucket_options(const Tensor& x) {
        return torch::TensorOptions(torch::kLong).device(x.device());
    }

    nn::Linear query = register_module("query", linear_without_bias(width, heads* head_width));
    nn::Linear value = register_module("value", linear_without_bias(width, heads* head_width));
    nn::Linear out = register_module("out", linear_without_bias(heads* head_width, width));
    Tensor rotations = register_buffer("rotations", torch::randn({heads, head_width, buckets / 2}));
};
TORCH_MODULE(HashAttention);

struct LayerImpl final : nn::Module {
    /// Even ones attend locally, odd ones by hash.
    explicit LayerImpl(int number) {
        if (number % 2 == 0) local = register_module("local", LocalAttention());
        if (number % 2 == 1) hashed = register_module("hashed", HashAttention());
        feed = register_module(
            "feed",
            nn::Sequential(
                layer_norm(width, epsilon),
                nn::Linear(width, hidden),
                nn::Dropout(dropout),
                activation(Activation::relu),
                nn::Linear(hidden, width),
                nn::Dropout(dropout)));
    }

    /// Both streams, each changed by the other.
    void forward(Tensor& attending, Tensor& feeding, Choices& choices) {
        const Tensor normal = norm(feeding);
        const Tensor seen = local ? local(normal) : hashed(normal, choices);
        attending = attending + torch::dropout(seen, dropout, is_training());
        feeding = feeding + feed->forward(attending);
    }

    nn::LayerNorm norm = register_module("norm", layer_norm(width, epsilon));
    LocalAttention local = nullptr;
    HashAttention hashed = nullptr;
    nn::Sequential feed = nullptr;
};
TORCH_MODULE(Layer);

struct Reformer final : LanguageModel {
    Reformer() : LanguageModel(vocabulary, tokens) {}

    /// Row and column of a table through which the places run.
    Tensor positions() const {
        return torch::cat(
                   {by_row.expand({-1, tokens / rows, -1}), by_column.expand({rows, -1, -1})}, 2)
            .flatten(0, 1);
    }

    Tensor forward(const Tensor& ids) override {
        const auto drop = [&](const Tensor& x) {
            return torch::dropout(x, dropout, is_training());
        };
        choices.begin(words->weight.scalar_type());
        Tensor attending = drop(words(ids)) + drop(positions());
        Tensor feeding = attending;
        for (const auto& layer : *layers) {
            layer->as<Layer>()->forward(attending, feeding, choices);
        }
        return head(drop(norm(torch::cat({attending, feeding}, 2))));
    }

    Choices* choices_of_answer() override { return &choices; }

    nn::Embedding words = register_module("words", token_embedding(vocabulary, width));
    Tensor by_row = register_parameter("by_row", torch::randn({rows, 1, row_width}));
    Tensor by_column =
        register_parameter("by_column", torch::randn({1, tokens / rows, width - row_width}));
    nn::ModuleList layers =
        register_module("layers", list_of(layer_count, [](int i) { return Layer(i); }));
    nn::LayerNorm norm = register_module("norm", layer_norm(2 * width, epsilon));
    nn::Linear head = register_module("head", nn::Linear(2 * width, vocabulary));
    Choices choices;
};

const Registered<Reformer> registered(
    {"reformer",
     "language",
     "Reformer, 4096 tokens",
     5'975'872,
     "Transformers, the default ReformerConfig that TorchBench takes, masked language model: from "
     "its sizes; Kitaev et al. 2020",
     1,
     1});

}  // namespace vigil_bench::zoo::reformer
