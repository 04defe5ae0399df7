#include "worker/bench/zoo/blocks/clip.hpp"
#include "worker/bench/zoo/blocks/sets/object_set.hpp"

// Minderer et al. 2022, "Simple open-vocabulary object detection with vision transformers": OWL-ViT
// of CLIP's ViT-B/32. Each patch of the picture says where it sees an object, and how well that
// fits each of two texts.

namespace vigil_bench::zoo::owlvit_b_32 {

constexpr std::int64_t side = 768;
constexpr std::int64_t grid = side / PictureReaderImpl::patch;
constexpr std::int64_t tokens = 16;
constexpr std::int64_t texts_each = 2;  ///< of a picture
constexpr std::int64_t width = clip_seen_width;
constexpr std::int64_t objects = 8;
constexpr double class_weight = 2;

/// Of each patch, before the sigmoid, its own place and size: [grid*grid,4].
Tensor own_boxes() {
    const Tensor along = torch::arange(1, grid + 1, torch::kFloat) / static_cast<double>(grid);
    const Tensor across = along.unsqueeze(0).expand({grid, grid}).flatten();
    const Tensor down = along.unsqueeze(1).expand({grid, grid}).flatten();
    const Tensor size = torch::full({grid * grid}, 1.0 / static_cast<double>(grid));
    const Tensor boxes = torch::stack({across, down, size, size}, 1);
    constexpr double epsilon = 1e-4;
    return (boxes + epsilon).log() - (1 - boxes + epsilon).log();
}

struct OwlVit final : Network {
    /// Pictures, their texts, and of their objects which text says it, and the box.
    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randn({batch, 3, side, side}),
            torch::randint(clip_vocabulary, {batch * texts_each, tokens}, torch::kLong),
            torch::randint(texts_each, {batch, objects}, torch::kLong),
            torch::rand({batch, objects, 4}) * 0.3 + 0.2};
    }

    /// How well each patch fits each text, [b,patches,2]; boxes [b,patches,4].
    Tensors answer(const Tensors& inputs) override {
        const Tensor seen = seeing->forward(inputs[0]);
        const Tensor patches = norm(seen.narrow(1, 1, grid * grid) * seen.narrow(1, 0, 1));
        const Tensor read = of_length_1(reading->forward(inputs[1]));
        const Tensor asked = read.view({seen.size(0), texts_each, -1});
        const Tensor fit = torch::bmm(of_length_1(classify(patches)), asked.transpose(1, 2));
        const Tensor scale = torch::elu(to_scale(patches)) + 1;
        return {(fit + to_shift(patches)) * scale, (place->forward(patches) + own).sigmoid()};
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensor& names = inputs[2];
        const Tensor& boxes = inputs[3];
        choices.begin(inputs[0].scalar_type());
        const Tensors found = answer(inputs);
        const Tensor costs =
            class_weight * focal_costs(found[0], names) + box_costs(found[1], boxes);
        const Tensor pairs = best_pairs(costs, choices);
        return class_weight * focal_loss(found[0], names, pairs) +
               box_loss(paired(found[1], pairs), boxes);
    }

    PictureReader seeing = register_module("seeing", PictureReader(side));
    TextReader reading = register_module("reading", TextReader(tokens));
    nn::LayerNorm norm = register_module("norm", layer_norm(width));
    nn::Linear classify = register_module("classify", nn::Linear(width, clip_width));
    nn::Linear to_shift = register_module("to_shift", nn::Linear(width, 1));
    nn::Linear to_scale = register_module("to_scale", nn::Linear(width, 1));
    nn::Sequential place =
        register_module("place", perceptron({width, width, width, 4}, Activation::gelu));
    Tensor own = register_buffer("own", own_boxes());
    Choices choices;
};

const Registered<OwlVit> registered(
    {"owlvit_b_32",
     "detection",
     "OWL-ViT of ViT-B/32, 768 x 768, two texts of 16 tokens",
     152'838'662,
     "Transformers google/owlvit-base-patch32 has 153,231,879, of which 393,217 take no part in "
     "detection; from its sizes",
     1,
     1});

}  // namespace vigil_bench::zoo::owlvit_b_32
