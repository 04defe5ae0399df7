#pragma once

#include <functional>

#include "worker/bench/zoo/blocks/image_classifier.hpp"

// The inverted residual of MobileNetV2 (Sandler et al. 2018) and of its heirs MnasNet, MobileNetV3
// and EfficientNet.

namespace vigil_bench::zoo {

/// Scales each channel by a gate computed from all channels' means (Hu et al. 2017).
class SqueezeExciteImpl final : public nn::Module {
  public:
    /// @param gate  relu with a hard sigmoid behind it, or silu with a sigmoid
    SqueezeExciteImpl(std::int64_t channels, std::int64_t squeezed, Activation gate);
    Tensor forward(const Tensor& x);

  private:
    Activation gate_;
    nn::Conv2d down_ = nullptr;
    nn::Conv2d up_ = nullptr;
};
TORCH_MODULE(SqueezeExcite);

struct MobileShape {
    std::int64_t in = 0;
    std::int64_t expanded = 0;  ///< equal to `in`: there is no expanding convolution
    std::int64_t out = 0;
    Kernel kernel{3};  ///< of the convolution by channel
    Activation kind = Activation::relu6;
    std::int64_t squeezed = 0;  ///< channels in a SqueezeExcite; 0: there is none
    Activation gate = Activation::relu;
    double drop_probability = 0;  ///< of the whole branch, see stochastic_depth
};

/// Expand, convolve by channel, gate, project; plus the input where the shapes agree.
class MobileBlockImpl final : public nn::Module {
  public:
    explicit MobileBlockImpl(const MobileShape& shape);
    Tensor forward(const Tensor& x);

  private:
    nn::Sequential branch_;
    bool residual_;
    double drop_probability_;
};
TORCH_MODULE(MobileBlock);

/// Blocks that differ in the first one's input and stride only.
struct MobileStage {
    std::int64_t expansion, size, stride, out, count;
};

/// The classifier of these stages behind a stem, with a last convolution to 1280 channels.
/// @param refine  sets what a block has beside shapes and activation
std::shared_ptr<Network> make_mobile_classifier(
    nn::Sequential stem,
    std::int64_t stem_channels,
    const std::vector<MobileStage>& stages,
    Activation kind,
    const std::function<void(MobileShape&)>& refine = [](MobileShape&) {});

/// Stem and blocks of MobileNetV3-Large (Howard et al. 2019, Table 1): [b,3,h,w] ->
/// [b,960,h/32,..].
/// @param last_stride  of the last stage: 2, or 1 with dilated convolutions for segmentation
nn::Sequential mobilenet_v3_large_trunk(std::int64_t last_stride);

}  // namespace vigil_bench::zoo
