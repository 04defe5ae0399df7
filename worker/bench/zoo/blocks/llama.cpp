#include "worker/bench/zoo/blocks/llama.hpp"

#include <cmath>

#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"
#include "worker/bench/zoo/choices.hpp"

namespace vigil_bench::zoo {

namespace {

/// Cosine and sine by which the places turn pairs of values, [n,head_width] each.
struct Rotation {
    Rotation(const LlamaShape& shape, std::int64_t first, std::int64_t count, const Tensor& like) {
        const auto exact = torch::TensorOptions(torch::kDouble).device(like.device());
        const Tensor even = torch::arange(0, shape.head_width, 2, exact);
        const double slope = -std::log(shape.rotation_base) / static_cast<double>(shape.head_width);
        const Tensor places = torch::arange(first, first + count, exact);
        const Tensor angle = places.unsqueeze(1) * torch::exp(even * slope);
        const Tensor both = torch::cat({angle, angle}, 1);
        cosine = both.cos().to(like.dtype());
        sine = both.sin().to(like.dtype());
    }

    Tensor turn(const Tensor& x) const {
        const auto halves = x.chunk(2, -1);
        return x * cosine + torch::cat({-halves[1], halves[0]}, -1) * sine;
    }

    Tensor cosine;
    Tensor sine;
};

struct SharedAttentionImpl final : nn::Module {
    explicit SharedAttentionImpl(const LlamaShape& shape_) : shape(shape_) {
        const std::int64_t all = shape.heads * shape.head_width;
        const std::int64_t shared = shape.key_heads * shape.head_width;
        query = register_module("query", linear_without_bias(shape.width, all));
        key = register_module("key", linear_without_bias(shape.width, shared));
        value = register_module("value", linear_without_bias(shape.width, shared));
        out = register_module("out", linear_without_bias(all, shape.width));
    }

    /// [b,n,heads*d] -> [b,heads,n,d]
    Tensor split(const Tensor& x) const {
        return x.view({x.size(0), x.size(1), -1, shape.head_width}).transpose(1, 2);
    }

    /// @param cache  [2,b,key_heads,m,d] of which the last n places are written; undefined: none
    Tensor forward(const Tensor& x, const Rotation& rotation, const Tensor& cache) {
        const std::int64_t tokens = x.size(1);
        const double scale = 1 / std::sqrt(static_cast<double>(shape.head_width));
        const Tensor asking = rotation.turn(split(query(x))) * scale;
        Tensor keys = rotation.turn(split(key(x)));
        Tensor values = split(value(x));
        if (cache.defined()) {
            const std::int64_t first = cache.size(3) - tokens;
            cache[0].narrow(2, first, tokens).copy_(keys);
            cache[1].narrow(2, first, tokens).copy_(values);
            keys = cache[0];
            values = cache[1];
        }
        // The heads that share a key stand together: [b,key_heads,heads/key_heads*n,d].
        const std::int64_t batch = x.size(0);
        const std::vector<std::int64_t> together = {batch, shape.key_heads, -1, shape.head_width};
        Tensor scores = torch::matmul(asking.reshape(together), keys.transpose(2, 3));
        if (tokens > 1) {
            const Tensor bias = causal_bias(tokens, x.detach());
            scores = (scores.view({batch, shape.heads, tokens, tokens}) + bias)
                         .view({batch, shape.key_heads, -1, tokens});
        }
        const Tensor mixed = torch::matmul(scores.softmax(-1), values);
        return out(mixed.view({batch, shape.heads, tokens, -1}).transpose(1, 2).flatten(2));
    }

    LlamaShape shape;
    nn::Linear query = nullptr;
    nn::Linear key = nullptr;
    nn::Linear value = nullptr;
    nn::Linear out = nullptr;
};
TORCH_MODULE(SharedAttention);

/// A feed-forward part with a gate (Shazeer 2020, "GLU variants improve transformer").
struct GatedImpl final : nn::Module {
    explicit GatedImpl(const LlamaShape& shape)
        : gate(register_module("gate", linear_without_bias(shape.width, shape.hidden))),
          up(register_module("up", linear_without_bias(shape.width, shape.hidden))),
          down(register_module("down", linear_without_bias(shape.hidden, shape.width))) {}

    Tensor forward(const Tensor& x) { return down(torch::silu(gate(x)) * up(x)); }

    nn::Linear gate;
    nn::Linear up;
    nn::Linear down;
};
TORCH_MODULE(Gated);

/// Each token goes through two of the experts, weighted (Jiang et al. 2024, "Mixtral of experts").
struct ExpertsImpl final : nn::Module {
    explicit ExpertsImpl(const LlamaShape& shape)
        : router(register_module("router", linear_without_bias(shape.width, shape.experts))) {
        for (std::int64_t i = 0; i < shape.experts; ++i) experts->push_back(Gated(shape));
        register_module("experts", experts);
    }

    Tensor forward(const Tensor& x, Choices& choices) {
        constexpr std::int64_t asked = 2;
        constexpr double as_good_ratio = 0.99;
        const Tensor rows = x.flatten(0, 1);
        const Tensor probable = router(rows).softmax(-1);
        const Tensor best = std::get<1>(probable.detach().topk(asked, -1));
        const Tensor chosen = choices.settle(best, [&](const Tensor& kept) {
            const Tensor found = probable.detach();
            return found.gather(1, kept).sum(1, true) >=
                   as_good_ratio * found.gather(1, best).sum(1, true);
        });
        Tensor weights = probable.gather(1, chosen);
        weights = weights / weights.sum(-1, true);
        Tensor sum = torch::zeros_like(rows);
        for (std::size_t i = 0; i < experts->size(); ++i) {
            const auto where = chosen.eq(static_cast<std::int64_t>(i)).nonzero().unbind(1);
            const Tensor answers =
                experts[i]->as<Gated>()->forward(rows.index_select(0, where[0])) *
                weights.index({where[0], where[1]}).unsqueeze(1);
            sum = sum.index_add(0, where[0], answers.to(sum.dtype()));
        }
        return sum.view_as(x);
    }

    nn::Linear router;
    nn::ModuleList experts;
};
TORCH_MODULE(Experts);

struct LlamaLayerImpl final : nn::Module {
    explicit LlamaLayerImpl(const LlamaShape& shape)
        : attention_norm(register_module("attention_norm", RmsNorm(shape.width, 1e-5))),
          attention(register_module("attention", SharedAttention(shape))),
          feed_norm(register_module("feed_norm", RmsNorm(shape.width, 1e-5))) {
        if (shape.experts > 0) {
            experts = register_module("experts", Experts(shape));
        } else {
            feed = register_module("feed", Gated(shape));
        }
    }

    Tensor forward(
        const Tensor& x, const Rotation& rotation, const Tensor& cache, Choices& choices) {
        const Tensor y = x + attention(attention_norm(x), rotation, cache);
        const Tensor normal = feed_norm(y);
        return y + (feed ? feed(normal) : experts(normal, choices));
    }

    RmsNorm attention_norm;
    SharedAttention attention;
    RmsNorm feed_norm;
    Gated feed = nullptr;
    Experts experts = nullptr;
};
TORCH_MODULE(LlamaLayer);

struct Llama final : Network {
    Llama(const LlamaShape& shape_, LlamaStage stage_, std::int64_t tokens_)
        : shape(shape_), stage(stage_), tokens(tokens_) {
        words = register_module("words", token_embedding(shape.vocabulary, shape.width));
        for (int i = 0; i < shape.layer_count; ++i) layers->push_back(LlamaLayer(shape));
        register_module("layers", layers);
        norm = register_module("norm", RmsNorm(shape.width, 1e-5));
        if (shape.is_tied) return;
        head = register_module("head", linear_without_bias(shape.width, shape.vocabulary));
    }

    /// Prefill: prompts, an empty cache, the prompts one token later. Decode: a token, and the
    /// cache of a prompt with a place for it. Caches are [layers,2,b,key_heads,tokens,d].
    Tensors make_inputs(std::int64_t batch) const override {
        const auto ids = [&](std::int64_t count) {
            return torch::randint(shape.vocabulary, {batch, count}, torch::kLong);
        };
        const auto cache = [&](std::int64_t count) {
            return torch::randn(
                {shape.layer_count, 2, batch, shape.key_heads, count, shape.head_width});
        };
        if (stage == LlamaStage::decode) return {ids(1), cache(tokens + 1)};
        return {ids(tokens), cache(tokens), ids(tokens)};
    }

    Tensor hidden(const Tensor& ids, const Tensor& caches) {
        choices.begin(words->weight.scalar_type());
        const std::int64_t first = stage == LlamaStage::decode ? tokens : 0;
        const Rotation rotation(shape, first, ids.size(1), words->weight.detach());
        Tensor x = words(ids);
        for (std::size_t i = 0; i < layers->size(); ++i) {
            const Tensor cache = caches.defined() ? caches[static_cast<std::int64_t>(i)] : Tensor();
            x = layers[i]->as<LlamaLayer>()->forward(x, rotation, cache, choices);
        }
        return x;
    }

    Tensor scores_of(const Tensor& x) {
        const Tensor normal = norm(x);
        return head ? head(normal) : tied_scores(normal, words);
    }

    Tensors answer(const Tensors& inputs) override {
        const Tensor x = hidden(inputs[0], inputs[1]);
        return {scores_of(x.select(1, x.size(1) - 1))};
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensor scores = scores_of(hidden(inputs[0], {}));
        return torch::cross_entropy_loss(scores.flatten(0, 1), inputs[2].flatten());
    }

    Choices* choices_of_answer() override { return &choices; }

    LlamaShape shape;
    LlamaStage stage;
    std::int64_t tokens;
    nn::Embedding words = nullptr;
    nn::ModuleList layers;
    RmsNorm norm = nullptr;
    nn::Linear head = nullptr;
    Choices choices;
};

}  // namespace

std::shared_ptr<Network> make_llama(
    const LlamaShape& shape, LlamaStage stage, std::int64_t tokens) {
    return std::make_shared<Llama>(shape, stage, tokens);
}

}  // namespace vigil_bench::zoo
