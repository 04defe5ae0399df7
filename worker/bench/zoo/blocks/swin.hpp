#pragma once

#include <vector>

#include "worker/bench/zoo/blocks/layers.hpp"

// Liu et al. 2021, "Swin transformer: hierarchical vision transformer using shifted windows".

namespace vigil_bench::zoo {

struct SwinShape {
    std::int64_t width = 96;  ///< of the first stage; each next one has twice as much
    std::vector<int> counts = {2, 2, 6, 2};  ///< of layers in each stage, even
    std::int64_t heads = 3;                  ///< of the first stage; likewise
    std::int64_t window = 7;                 ///< patches of a window's side
    double last_drop = 0.2;                  ///< of the last layer's branches; the first's is 0
};

/// Where attention ends in a map that is moved up and to the left by half a window: what came in
/// at the far edges does not see what was there. [windows,1,n,n], n = window * window: 0 or -100.
/// @param rows, columns  of the map, multiples of the window
Tensor edges_of_windows(
    std::int64_t rows, std::int64_t columns, std::int64_t window, const Tensor& like);

/// Number of each pair's distance in a window, [n*n] int64 from 0: row by row of (2 window - 1)^2.
Tensor window_distances(std::int64_t window);

/// Patches of 4 x 4 and four stages.
class SwinTrunkImpl final : public nn::Module {
  public:
    explicit SwinTrunkImpl(const SwinShape& shape);

    /// What each stage makes of [b,3,h,w], the finest first: [b,h/4,w/4,width] and so on.
    Tensors stages_of(const Tensor& pictures);

    /// Of the four stages, the finest first.
    std::vector<std::int64_t> widths() const;

  private:
    SwinShape shape_;
    nn::Conv2d patches_ = nullptr;
    nn::LayerNorm patch_norm_ = nullptr;
    nn::ModuleList layers_;
    nn::ModuleList merges_;
};
TORCH_MODULE(SwinTrunk);

/// The trunk with a norm behind each stage, as detectors read it.
class SwinMapsImpl final : public nn::Module {
  public:
    explicit SwinMapsImpl(const SwinShape& shape);

    /// [b,3,h,w] -> [b,c,h/4,w/4] and so on, the finest first
    Tensors forward(const Tensor& pictures);

    std::vector<std::int64_t> widths() const { return trunk_->widths(); }

  private:
    SwinTrunk trunk_ = nullptr;
    nn::ModuleList norms_;
};
TORCH_MODULE(SwinMaps);

}  // namespace vigil_bench::zoo
