#pragma once

#include <functional>

#include "worker/bench/zoo/blocks/layers.hpp"

// Attention and the layers of a transformer (Vaswani et al. 2017), on [b,n,width].

namespace vigil_bench::zoo {

/// softmax(scale q k' + bias) v by heads.
/// @param query, key, value  [b,n,heads*d], [b,m,heads*d], [b,m,heads*e]
/// @param bias  added to the scores, to broadcast over [b,heads,n,m]; undefined: none
Tensor attend(
    const Tensor& query,
    const Tensor& key,
    const Tensor& value,
    std::int64_t heads,
    double scale,
    const Tensor& bias = {},
    double dropout = 0);

/// [n,n]: 0 up to the diagonal, minus infinity behind it.
Tensor causal_bias(std::int64_t tokens, const Tensor& like);

/// Sines and cosines of places along a line, [...] -> [...,width] (section 3.5).
Tensor sine_code(const Tensor& places, std::int64_t width);

/// The same of 0 to tokens - 1, [n,width].
Tensor sine_positions(std::int64_t tokens, std::int64_t width, const Tensor& like);

enum class Projections { separate, fused };  ///< one matrix each for q, k, v; or one for all three
enum class NormPlace { before, after };      ///< of the branch, or of the sum with it
enum class Biases { all, without_key, none };  ///< of an attention's matrices

/// Self-attention of another kind than everybody to everybody: what attend() does with query, key
/// and value, [b,n,width] each.
using Mixer = std::function<Tensor(
    const Tensor& query, const Tensor& key, const Tensor& value, double scale, double dropout)>;

struct LayerShape {
    LayerShape(std::int64_t width_, std::int64_t heads_)
        : width(width_), heads(heads_), hidden(4 * width_) {}

    std::int64_t width;
    std::int64_t heads;
    std::int64_t hidden;  ///< width of the feed-forward part
    Activation kind = Activation::gelu;
    NormPlace norm = NormPlace::after;
    Projections projections = Projections::separate;
    double dropout = 0.1;
    double epsilon = 1e-5;
    Biases biases = Biases::all;  ///< of separate projections
    Mixer mixer;                  ///< empty: attend()
};

nn::LayerNorm layer_norm(std::int64_t width, double epsilon = 1e-5);
nn::LayerNorm layer_norm(const LayerShape& shape);

/// Two linear layers with the activation between them.
nn::Sequential feed_forward(const LayerShape& shape);

nn::Linear linear_without_bias(std::int64_t in, std::int64_t out);

class AttentionImpl final : public nn::Module {
  public:
    explicit AttentionImpl(const LayerShape& shape);

    /// Self-attention.
    Tensor forward(const Tensor& x, const Tensor& bias = {});

    /// Attention to something else; separate projections only.
    Tensor attend_to(
        const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& bias = {});

  private:
    Tensor mix(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& bias);

    LayerShape shape_;
    nn::Linear query_ = nullptr;
    nn::Linear key_ = nullptr;
    nn::Linear value_ = nullptr;
    nn::Linear all_ = nullptr;
    nn::Linear out_ = nullptr;
};
TORCH_MODULE(Attention);

/// Self-attention and the feed-forward part, each a residual branch with its norm.
class EncoderLayerImpl final : public nn::Module {
  public:
    explicit EncoderLayerImpl(const LayerShape& shape) : shape_(shape) {}

    /// @param positions  added to queries and keys in every layer (DETR); undefined: none
    Tensor forward(const Tensor& x, const Tensor& bias = {}, const Tensor& positions = {});

  private:
    Tensor mix(const Tensor& x, const Tensor& bias, const Tensor& positions);

    LayerShape shape_;
    Attention attention_ = register_module("attention", Attention(shape_));
    nn::LayerNorm attention_norm_ = register_module("attention_norm", layer_norm(shape_));
    nn::Sequential feed_forward_ = register_module("feed_forward", feed_forward(shape_));
    nn::LayerNorm feed_forward_norm_ = register_module("feed_forward_norm", layer_norm(shape_));
};
TORCH_MODULE(EncoderLayer);

/// An encoder layer that also attends to the encoder's output.
class DecoderLayerImpl final : public nn::Module {
  public:
    explicit DecoderLayerImpl(const LayerShape& shape) : shape_(shape) {}

    /// @param positions, memory_positions  added to queries and keys (DETR); undefined: none
    Tensor forward(
        const Tensor& x,
        const Tensor& memory,
        const Tensor& bias = {},
        const Tensor& positions = {},
        const Tensor& memory_positions = {});

  private:
    LayerShape shape_;
    Attention self_ = register_module("self", Attention(shape_));
    Attention cross_ = register_module("cross", Attention(shape_));
    nn::Sequential feed_forward_ = register_module("feed_forward", feed_forward(shape_));
    nn::LayerNorm self_norm_ = register_module("self_norm", layer_norm(shape_));
    nn::LayerNorm cross_norm_ = register_module("cross_norm", layer_norm(shape_));
    nn::LayerNorm feed_forward_norm_ = register_module("feed_forward_norm", layer_norm(shape_));
};
TORCH_MODULE(DecoderLayer);

/// As many layers of an encoder as of a decoder that reads what the encoder made.
class EncoderDecoderImpl final : public nn::Module {
  public:
    EncoderDecoderImpl(const LayerShape& shape, int layer_count);

    Tensor encode(Tensor x);

    /// Each place attends to those before it and to itself.
    Tensor decode(Tensor x, const Tensor& memory);

  private:
    nn::ModuleList encoder_;
    nn::ModuleList decoder_;
};
TORCH_MODULE(EncoderDecoder);

}  // namespace vigil_bench::zoo
