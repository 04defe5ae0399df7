#pragma once

#include <vector>

#include "worker/bench/zoo/blocks/layers.hpp"

// He et al. 2015, "Deep residual learning for image recognition", as torchvision has it (the stride
// of a bottleneck is in its 3 x 3 convolution), and Xie et al. 2016 (ResNeXt).

namespace vigil_bench::zoo {

struct ResidualShape {
    enum class Block { basic, bottleneck };
    Block block = Block::basic;
    std::vector<std::int64_t> counts;  ///< of blocks in each of the four stages
    std::int64_t groups = 1;
    std::int64_t width_per_group = 64;
    Norm norm = Norm::batch;
    /// A bottleneck's stride is in its first convolution, as He et al. have it.
    bool stride_comes_first = false;
    bool dilates_last = false;  ///< the last stage keeps the size, with holes in its convolutions
};

void add_residual_block(
    nn::Sequential& layers,
    const ResidualShape& shape,
    std::int64_t in,
    std::int64_t planes,
    std::int64_t stride,
    std::int64_t dilation = 1);

/// Stem and four stages.
class ResidualTrunkImpl final : public nn::Module {
  public:
    explicit ResidualTrunkImpl(const ResidualShape& shape);

    /// [b,3,h,w] -> [b,channels(),h/32,w/32]
    Tensor forward(const Tensor& pictures);

    /// What each stage makes, the finest first: [b,c,h/4,w/4] and so on.
    Tensors stages_of(const Tensor& pictures);

    /// Nothing trains the stem and the first stage any more.
    void freeze_beginning();

    std::int64_t channels() const { return channels_; }

  private:
    nn::Sequential stem_ = nullptr;
    nn::Sequential stages_ = nullptr;
    std::vector<std::size_t> ends_;  ///< of the stages, in blocks
    std::int64_t channels_ = 64;
};
TORCH_MODULE(ResidualTrunk);

/// The classifier on such a trunk.
std::shared_ptr<Network> make_residual_classifier(const ResidualShape& shape);

}  // namespace vigil_bench::zoo
