#pragma once

#include "worker/bench/zoo/blocks/language_model.hpp"
#include "worker/bench/zoo/blocks/transformer.hpp"

// Radford et al. 2021, "Learning transferable visual models from natural language supervision":
// what reads pictures and texts into one space, with patches of 32.

namespace vigil_bench::zoo {

constexpr std::int64_t clip_vocabulary = 49408;
constexpr std::int64_t clip_width = 512;       ///< of the space that pictures and texts share
constexpr std::int64_t clip_seen_width = 768;  ///< of a patch's code

/// A vision transformer of twelve layers.
class PictureReaderImpl final : public nn::Module {
  public:
    static constexpr std::int64_t patch = 32;

    /// @param side  of a picture, in points
    explicit PictureReaderImpl(std::int64_t side);

    /// [b,3,side,side] -> [b,1 + patches,768]; the first is of the whole
    Tensor forward(const Tensor& pictures);

  private:
    nn::Conv2d cut_ = nullptr;
    Tensor whole_;
    nn::Embedding at_ = nullptr;
    nn::LayerNorm first_norm_ = nullptr;
    nn::ModuleList layers_;
    nn::LayerNorm norm_ = nullptr;
};
TORCH_MODULE(PictureReader);

/// A decoder of twelve layers, and a projection of what its last token has read.
class TextReaderImpl final : public nn::Module {
  public:
    explicit TextReaderImpl(std::int64_t tokens);

    /// [b,tokens] -> [b,512]
    Tensor forward(const Tensor& texts);

  private:
    nn::Embedding words_ = nullptr;
    nn::Embedding at_ = nullptr;
    nn::ModuleList layers_;
    nn::LayerNorm norm_ = nullptr;
    nn::Linear project_ = nullptr;
};
TORCH_MODULE(TextReader);

/// The last dimension, of length 1.
Tensor of_length_1(const Tensor& x);

}  // namespace vigil_bench::zoo
