#include "worker/bench/zoo/blocks/sets/mask_set.hpp"

// Cheng et al. 2021: MaskFormer's transformer decoder alone, behind ResNet-50 on the 150 classes of
// ADE20K. Its inputs are the trunk's last map and the pixel decoder's, of a picture of 512 x 512.

namespace vigil_bench::zoo::maskformer_decoder {

constexpr std::int64_t trunk_channels = 2048;
constexpr std::int64_t classes = 150;
constexpr std::int64_t side = 512;

struct MaskFormerDecoder final : Network {
    /// The two maps; classes and masks of the objects.
    Tensors make_inputs(std::int64_t batch) const override {
        Tensors inputs = {
            torch::randn({batch, trunk_channels, side / 32, side / 32}).relu(),
            torch::randn({batch, MaskDecoderImpl::width, side / 4, side / 4})};
        for (auto& wanted : make_masks(batch, classes, side / 4)) inputs.push_back(wanted);
        return inputs;
    }

    Tensors answer(const Tensors& inputs) override {
        const FoundMasks last = decoder->forward(inputs[0], inputs[1]).back();
        return {last.classes, last.masks};
    }

    Tensor loss(const Tensors& inputs) override {
        return decoder->loss(decoder->forward(inputs[0], inputs[1]), {inputs[2], inputs[3]});
    }

    MaskDecoder decoder = register_module("decoder", MaskDecoder(trunk_channels, classes));
};

const Registered<MaskFormerDecoder> registered(
    {"maskformer_decoder",
     "segmentation",
     "MaskFormer's transformer decoder, maps of 512 x 512",
     10'259'351,
     "Cheng et al. 2021: six layers of 256, 100 queries, 150 classes: from its sizes; the whole is "
     "41.3 M (Table 1: 41 M)",
     1,
     1});

}  // namespace vigil_bench::zoo::maskformer_decoder
