#include "worker/bench/zoo/blocks/clip.hpp"

// Radford et al. 2021, CLIP with ViT-B/32: pictures of 224 x 224 and texts of 77 tokens into one
// space of 512.

namespace vigil_bench::zoo::clip_vit_b_32 {

constexpr std::int64_t side = 224;
constexpr std::int64_t tokens = 77;

struct Clip final : Network {
    /// Row by row a picture and its text.
    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randn({batch, 3, side, side}),
            torch::randint(clip_vocabulary, {batch, tokens}, torch::kLong)};
    }

    /// How well each picture fits each text, [b,b].
    Tensors answer(const Tensors& inputs) override {
        const Tensor whole = seeing->forward(inputs[0]).select(1, 0);
        const Tensor seen = of_length_1(from_seen(whole));
        const Tensor read = of_length_1(reading->forward(inputs[1]));
        return {torch::mm(seen, read.t()) * log_scale.exp()};
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensor fit = answer(inputs)[0];
        const Tensor own = torch::arange(fit.size(0), inputs[1].options());
        return (torch::cross_entropy_loss(fit, own) + torch::cross_entropy_loss(fit.t(), own)) / 2;
    }

    PictureReader seeing = register_module("seeing", PictureReader(side));
    nn::Linear from_seen =
        register_module("from_seen", linear_without_bias(clip_seen_width, clip_width));
    TextReader reading = register_module("reading", TextReader(tokens));
    Tensor log_scale = register_parameter("log_scale", torch::full({}, 2.6592));
};

const Registered<Clip> registered(
    {"clip_vit_b_32",
     "representation",
     "CLIP of ViT-B/32, a picture of 224 x 224 and a text of 77 tokens",
     151'277'313,
     "Transformers openai/clip-vit-base-patch32; Radford et al. 2021",
     1,
     2});

}  // namespace vigil_bench::zoo::clip_vit_b_32
