#include "worker/bench/zoo/blocks/transformer.hpp"

#include <cmath>
#include <limits>

namespace vigil_bench::zoo {

namespace {

/// [b,n,heads*d] -> [b,heads,n,d]
Tensor split_heads(const Tensor& x, std::int64_t heads) {
    return x.reshape({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

Tensor plus(const Tensor& x, const Tensor& positions) {
    return positions.defined() ? x + positions : x;
}

double scale_of(const LayerShape& shape) {
    return 1 / std::sqrt(static_cast<double>(shape.width / shape.heads));
}

}  // namespace

Tensor attend(
    const Tensor& query,
    const Tensor& key,
    const Tensor& value,
    std::int64_t heads,
    double scale,
    const Tensor& bias,
    double dropout) {
    Tensor scores =
        torch::matmul(split_heads(query, heads) * scale, split_heads(key, heads).transpose(2, 3));
    if (bias.defined()) scores = scores + bias;
    Tensor weights = scores.softmax(-1);
    if (dropout > 0) weights = torch::dropout(weights, dropout, true);
    return torch::matmul(weights, split_heads(value, heads)).transpose(1, 2).flatten(2);
}

Tensor causal_bias(std::int64_t tokens, const Tensor& like) {
    constexpr double hidden = -std::numeric_limits<double>::infinity();
    return torch::full({tokens, tokens}, hidden, like.options()).triu_(1);
}

Tensor sine_code(const Tensor& places, std::int64_t width) {
    const Tensor even = torch::arange(0, width, 2, places.options().requires_grad(false));
    const Tensor angle =
        places.unsqueeze(-1) * torch::exp(even * (-std::log(10000.0) / static_cast<double>(width)));
    return torch::stack({angle.sin(), angle.cos()}, -1).flatten(-2);
}

Tensor sine_positions(std::int64_t tokens, std::int64_t width, const Tensor& like) {
    return sine_code(torch::arange(tokens, like.options().requires_grad(false)), width);
}

nn::LayerNorm layer_norm(const LayerShape& shape) {
    return layer_norm(shape.width, shape.epsilon);
}

nn::Sequential feed_forward(const LayerShape& shape) {
    return nn::Sequential(
        nn::Linear(shape.width, shape.hidden),
        activation(shape.kind),
        nn::Linear(shape.hidden, shape.width),
        nn::Dropout(shape.dropout));
}

nn::Linear linear_without_bias(std::int64_t in, std::int64_t out) {
    return nn::Linear(nn::LinearOptions(in, out).bias(false));
}

nn::LayerNorm layer_norm(std::int64_t width, double epsilon) {
    return nn::LayerNorm(nn::LayerNormOptions({width}).eps(epsilon));
}

AttentionImpl::AttentionImpl(const LayerShape& shape) : shape_(shape) {
    const auto width = shape.width;
    const auto project = [&](const char* name, bool has_bias) {
        return register_module(name, nn::Linear(nn::LinearOptions(width, width).bias(has_bias)));
    };
    const bool has_bias = shape.biases != Biases::none;
    if (shape.projections == Projections::fused) {
        all_ = register_module("all", nn::Linear(width, 3 * width));
    } else {
        query_ = project("query", has_bias);
        key_ = project("key", shape.biases == Biases::all);
        value_ = project("value", has_bias);
    }
    out_ = project("out", has_bias);
}

Tensor AttentionImpl::mix(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& bias) {
    const double dropout = is_training() ? shape_.dropout : 0;
    const double scale = scale_of(shape_);
    if (shape_.mixer) return out_(shape_.mixer(query, key, value, scale, dropout));
    return out_(attend(query, key, value, shape_.heads, scale, bias, dropout));
}

Tensor AttentionImpl::forward(const Tensor& x, const Tensor& bias) {
    if (!all_) return attend_to(x, x, x, bias);
    const auto parts = all_(x).chunk(3, -1);
    return mix(parts[0], parts[1], parts[2], bias);
}

Tensor AttentionImpl::attend_to(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& bias) {
    return mix(query_(query), key_(key), value_(value), bias);
}

Tensor EncoderLayerImpl::mix(const Tensor& x, const Tensor& bias, const Tensor& positions) {
    const Tensor placed = plus(x, positions);
    const Tensor mixed = positions.defined() ? attention_->attend_to(placed, placed, x, bias)
                                             : attention_->forward(x, bias);
    return torch::dropout(mixed, shape_.dropout, is_training());
}

Tensor EncoderLayerImpl::forward(const Tensor& x, const Tensor& bias, const Tensor& positions) {
    if (shape_.norm == NormPlace::before) {
        const Tensor y = x + mix(attention_norm_(x), bias, positions);
        return y + feed_forward_->forward(feed_forward_norm_(y));
    }
    const Tensor y = attention_norm_(x + mix(x, bias, positions));
    return feed_forward_norm_(y + feed_forward_->forward(y));
}

Tensor DecoderLayerImpl::forward(
    const Tensor& x,
    const Tensor& memory,
    const Tensor& bias,
    const Tensor& positions,
    const Tensor& memory_positions) {
    const auto drop = [&](const Tensor& branch) {
        return torch::dropout(branch, shape_.dropout, is_training());
    };
    if (shape_.norm == NormPlace::before) {
        const Tensor y = x + drop(self_(self_norm_(x), bias));
        const Tensor z = y + drop(cross_->attend_to(cross_norm_(y), memory, memory));
        return z + feed_forward_->forward(feed_forward_norm_(z));
    }
    const Tensor placed = plus(x, positions);
    const Tensor y = self_norm_(x + drop(self_->attend_to(placed, placed, x, bias)));
    const Tensor keys = plus(memory, memory_positions);
    const Tensor z = cross_norm_(y + drop(cross_->attend_to(plus(y, positions), keys, memory)));
    return feed_forward_norm_(z + feed_forward_->forward(z));
}

EncoderDecoderImpl::EncoderDecoderImpl(const LayerShape& shape, int layer_count) {
    for (int i = 0; i < layer_count; ++i) {
        encoder_->push_back(EncoderLayer(shape));
        decoder_->push_back(DecoderLayer(shape));
    }
    register_module("encoder", encoder_);
    register_module("decoder", decoder_);
}

Tensor EncoderDecoderImpl::encode(Tensor x) {
    for (const auto& layer : *encoder_) x = layer->as<EncoderLayer>()->forward(x);
    return x;
}

Tensor EncoderDecoderImpl::decode(Tensor x, const Tensor& memory) {
    const Tensor bias = causal_bias(x.size(1), memory.detach());
    for (const auto& layer : *decoder_) x = layer->as<DecoderLayer>()->forward(x, memory, bias);
    return x;
}

}  // namespace vigil_bench::zoo
