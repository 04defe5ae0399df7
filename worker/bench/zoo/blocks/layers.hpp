#pragma once

#include "worker/bench/zoo/network.hpp"

// Convolutions, norms, activations and perceptrons as the models combine them.

namespace vigil_bench::zoo {

enum class Activation {
    none,
    relu,
    relu6,
    leaky_relu,
    hardswish,
    silu,
    gelu,
    quick_gelu,  ///< x sigmoid(1.702 x), as CLIP has it
    tanh,
    sigmoid
};

/// In place where the published implementations do so.
nn::Functional activation(Activation kind);

/// Size, stride and the like of a convolution; the padding keeps the picture's size at stride 1.
struct Kernel {
    explicit Kernel(std::int64_t size_, std::int64_t stride_ = 1, std::int64_t groups_ = 1)
        : size(size_), stride(stride_), groups(groups_) {}
    Kernel dilated(std::int64_t by) const {
        Kernel other = *this;
        other.dilation = by;
        return other;
    }
    std::int64_t padding() const { return dilation * (size - 1) / 2; }

    std::int64_t size;
    std::int64_t stride;
    std::int64_t groups;
    std::int64_t dilation = 1;
};

/// Without bias, for what a norm follows.
nn::Conv2d conv(std::int64_t in, std::int64_t out, const Kernel& kernel);

nn::Conv2d conv_with_bias(std::int64_t in, std::int64_t out, const Kernel& kernel);

/// frozen: scale and shift are buffers that nothing trains (detectors on pretrained trunks).
/// groups: of 32 groups of channels.
enum class Norm { batch, frozen, groups };

/// Convolution, norm, activation.
nn::Sequential conv_norm(
    std::int64_t in,
    std::int64_t out,
    const Kernel& kernel,
    Activation kind = Activation::relu,
    Norm norm = Norm::batch);

nn::MaxPool2d max_pool(std::int64_t size, std::int64_t stride, std::int64_t padding = 0);

/// Linear layers of these widths with the activation between them, none behind the last.
nn::Sequential perceptron(
    const std::vector<std::int64_t>& widths, Activation kind = Activation::relu);

/// Global mean over the picture, [b,c,h,w] -> [b,c].
Tensor mean_over_picture(const Tensor& x);

/// Drops whole rows of a residual branch while training (Huang et al. 2016, "Deep networks with
/// stochastic depth", by row as torchvision does it).
Tensor stochastic_depth(const Tensor& branch, double drop_probability, bool training);

/// `channels` times `width`, rounded to a multiple of 8 but never down by more than 10 %
/// (MobileNetV2's reference implementation).
std::int64_t round_channels(double channels);

/// Its input, plus what the branch makes of it.
struct SkipImpl final : nn::Module {
    explicit SkipImpl(const nn::Sequential& branch_) {
        branch = register_module("branch", branch_);
    }
    Tensor forward(const Tensor& x) { return x + branch->forward(x); }

    nn::Sequential branch = nullptr;
};
TORCH_MODULE(Skip);

/// Divides by the root mean square over the last dimension, without a mean or a shift (Zhang and
/// Sennrich 2019).
class RmsNormImpl final : public nn::Module {
  public:
    explicit RmsNormImpl(std::int64_t width, double epsilon = 1e-6);
    Tensor forward(const Tensor& x);

  private:
    Tensor scale_;
    double epsilon_;
};
TORCH_MODULE(RmsNorm);

/// Norm over the channels of [b,c,h,w].
class ChannelNormImpl final : public nn::Module {
  public:
    explicit ChannelNormImpl(std::int64_t channels);
    Tensor forward(const Tensor& x);

  private:
    nn::LayerNorm norm_ = nullptr;
};
TORCH_MODULE(ChannelNorm);

}  // namespace vigil_bench::zoo
