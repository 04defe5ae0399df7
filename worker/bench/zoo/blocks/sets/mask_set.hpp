#pragma once

#include "worker/bench/zoo/blocks/sets/object_set.hpp"

// Cheng et al. 2021, "Per-pixel classification is not all you need for semantic segmentation":
// what finds a set of masks by asking for them, and how it is trained.

namespace vigil_bench::zoo {

struct FoundMasks {
    Tensor classes;  ///< [b,queries,classes + 1], scores; the last: nothing
    Tensor masks;    ///< [b,queries,pixels], scores
};

/// Classes [b,8] and masks [b,8,side*side], 0 or 1, of a picture's objects, each a few blobs.
Tensors make_masks(std::int64_t batch, std::int64_t classes, std::int64_t side);

/// How far a mask is from another one: point by point, and by dice
/// (Milletari et al. 2016).
struct MaskDistance {
    YesOrNo (*terms)(const Tensor& scores);  ///< of a point
    double point_weight;
    double dice_weight;

    /// Of each pair of found and wanted masks, [b,q,n] and [b,o,n]: [b,q,o].
    Tensor costs(const Tensor& scores, const Tensor& wanted) const;

    /// Of pairs already made, [b,o,n] each: their mean.
    Tensor loss(const Tensor& scores, const Tensor& wanted) const;
};

/// MaskFormer's transformer: 100 queries, and a layer's masks are products with the pixels' codes.
class MaskDecoderImpl final : public nn::Module {
  public:
    static constexpr std::int64_t width = 256;

    /// @param trunk_channels  of the trunk's last map
    MaskDecoderImpl(std::int64_t trunk_channels, std::int64_t classes);

    /// What each of the six layers finds.
    /// @param last_map  [b,trunk_channels,h,w]   @param pixels  [b,256,h,w]
    std::vector<FoundMasks> forward(const Tensor& last_map, const Tensor& pixels);

    /// Of every layer, each with its own pairs; by focal loss and dice.
    /// @param wanted  as make_masks() makes them, a mask's points being the pixels
    Tensor loss(const std::vector<FoundMasks>& found, const Tensors& wanted);

  private:
    nn::Conv2d project_ = nullptr;
    nn::ModuleList layers_;
    nn::LayerNorm norm_ = nullptr;
    nn::Embedding asked_ = nullptr;
    nn::Linear classify_ = nullptr;
    nn::Sequential to_mask_ = nullptr;
    Choices choices_;
};
TORCH_MODULE(MaskDecoder);

}  // namespace vigil_bench::zoo
