#include "worker/bench/zoo/blocks/sets/mask_set.hpp"
#include "worker/bench/zoo/blocks/swin.hpp"
#include "worker/bench/zoo/sizes.hpp"

// Cheng et al. 2021: MaskFormer whole, behind Swin-B with windows of 12, on the 150 classes of
// ADE20K.

namespace vigil_bench::zoo::maskformer_swin_b {

constexpr std::int64_t classes = 150;
constexpr std::int64_t width = MaskDecoderImpl::width;

SwinShape trunk_shape() {
    SwinShape shape;
    shape.width = 128;
    shape.counts = {2, 2, 18, 2};
    shape.heads = 4;
    shape.window = 12;
    shape.last_drop = 0.3;
    return shape;
}

nn::Sequential grouped(std::int64_t in, std::int64_t size, Activation kind) {
    return conv_norm(in, width, Kernel(size), kind, Norm::groups);
}

/// Codes of the pixels at a quarter of the picture's size, from all of the trunk's maps.
struct PixelDecoderImpl final : nn::Module {
    explicit PixelDecoderImpl(const std::vector<std::int64_t>& depths) {
        first = register_module("first", grouped(depths.back(), 3, Activation::relu));
        for (std::size_t i = depths.size() - 1; i-- > 0;) {
            inwards->push_back(grouped(depths[i], 1, Activation::none));
            mixes->push_back(grouped(width, 3, Activation::relu));
        }
        register_module("inwards", inwards);
        register_module("mixes", mixes);
        last = register_module("last", conv_with_bias(width, width, Kernel(3)));
    }

    Tensor forward(const Tensors& maps) {
        Tensor x = first->forward(maps.back());
        for (std::size_t i = 0; i < inwards->size(); ++i) {
            const Tensor& map = maps[maps.size() - 2 - i];
            const Tensor wide = torch::upsample_nearest2d(x, {map.size(2), map.size(3)});
            x = inwards[i]->as<nn::Sequential>()->forward(map) + wide;
            x = mixes[i]->as<nn::Sequential>()->forward(x);
        }
        return last(x);
    }

    nn::Sequential first = nullptr;
    nn::ModuleList inwards;
    nn::ModuleList mixes;
    nn::Conv2d last = nullptr;
};
TORCH_MODULE(PixelDecoder);

struct MaskFormer final : Network {
    Tensors make_inputs(std::int64_t batch) const override {
        Tensors inputs = {torch::randn({batch, 3, side, side})};
        for (auto& wanted : make_masks(batch, classes, side / 4)) inputs.push_back(wanted);
        return inputs;
    }

    std::vector<FoundMasks> forward(const Tensor& pictures) {
        const Tensors maps = trunk->forward(pictures);
        return decoder->forward(maps.back(), pixels->forward(maps));
    }

    Tensors answer(const Tensors& inputs) override {
        const FoundMasks last = forward(inputs[0]).back();
        return {last.classes, last.masks};
    }

    Tensor loss(const Tensors& inputs) override {
        return decoder->loss(forward(inputs[0]), {inputs[1], inputs[2]});
    }

    std::int64_t side = size_of_inputs(384, 640);
    SwinMaps trunk = register_module("trunk", SwinMaps(trunk_shape()));
    PixelDecoder pixels = register_module("pixels", PixelDecoder(trunk->widths()));
    MaskDecoder decoder = register_module("decoder", MaskDecoder(trunk->widths().back(), classes));
};

const Registered<MaskFormer> registered(
    {"maskformer_swin_b",
     "segmentation",
     "MaskFormer on Swin-B",
     101'829'391,
     "Cheng et al. 2021, Table 1 (102 M); from its sizes",
     1,
     1});

const Sized sized({"maskformer_swin_b", "384 x 384", "640 x 640"});

}  // namespace vigil_bench::zoo::maskformer_swin_b
