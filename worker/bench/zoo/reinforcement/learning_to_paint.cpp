#include "worker/bench/zoo/blocks/residual_net.hpp"

// Huang et al. 2019, "Learning to paint with model-based deep reinforcement learning": an actor of
// 18 layers and the neural renderer of its strokes (section 3.4), in the sizes of the official
// code; the actor is trained through the renderer, without the critic.

namespace vigil_bench::zoo::learning_to_paint {

constexpr std::int64_t side = 128;
constexpr std::int64_t strokes = 5;
constexpr std::int64_t stroke_values = 10;
constexpr std::int64_t colours = 3;
constexpr std::int64_t seen = 9;  ///< channels: canvas, target, step, two coordinates

struct Painter final : Network {
    Painter() {
        std::int64_t in = 64;
        actor->extend(*conv_norm(seen, in, Kernel(3, 2)));
        for (const std::int64_t out : {64, 128, 256, 512}) {
            add_residual_block(actor, {}, in, out, 2);
            add_residual_block(actor, {}, out, out, 1);
            in = out;
        }
        register_module("actor", actor);
        choose = register_module("choose", nn::Linear(in, strokes * (stroke_values + colours)));
        renderer->extend(*perceptron({stroke_values, 512, 1024, 2048, 4096}));
        renderer->push_back(nn::Functional([](const Tensor& x) {
            return x.relu().view({-1, 16, 16, 16});
        }));
        add_enlarging(16, 32, 32);
        add_enlarging(8, 16, 16);
        add_enlarging(4, 8, 4);
        register_module("renderer", renderer);
        for (auto& parameter : renderer->parameters()) parameter.requires_grad_(false);
    }

    void add_enlarging(std::int64_t in, std::int64_t middle, std::int64_t out) {
        renderer->push_back(conv_with_bias(in, middle, Kernel(3)));
        renderer->push_back(activation(Activation::relu));
        renderer->push_back(conv_with_bias(middle, out, Kernel(3)));
        renderer->push_back(nn::PixelShuffle(2));
    }

    /// What the actor sees, and the picture that it should paint.
    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::rand({batch, seen, side, side}), torch::rand({batch, 3, side, side})};
    }

    /// The canvas after five more strokes.
    Tensor paint(const Tensor& view) {
        const Tensor chosen = choose(mean_over_picture(actor->forward(view))).sigmoid();
        const Tensor one_by_one = chosen.view({-1, stroke_values + colours});
        const Tensor ink = 1 - renderer->forward(one_by_one.narrow(1, 0, stroke_values)).sigmoid();
        const Tensor colour =
            one_by_one.narrow(1, stroke_values, colours).unsqueeze(2).unsqueeze(3);
        const Tensor strokes_of = (ink * colour).view({-1, strokes, colours, side, side});
        const Tensor opacity = ink.view({-1, strokes, 1, side, side});
        Tensor canvas = view.narrow(1, 0, 3);
        for (std::int64_t i = 0; i < strokes; ++i) {
            canvas = canvas * (1 - opacity.select(1, i)) + strokes_of.select(1, i);
        }
        return canvas;
    }

    Tensors answer(const Tensors& inputs) override { return {paint(inputs[0])}; }

    Tensor loss(const Tensors& inputs) override {
        return torch::mse_loss(paint(inputs[0]), inputs[1]);
    }

    nn::Sequential actor;
    nn::Linear choose = nullptr;
    nn::Sequential renderer;
};

const Registered<Painter> registered(
    {"learning_to_paint",
     "reinforcement",
     "Actor and renderer of five strokes, 128 x 128",
     22'250'669,
     "official LearningToPaint: actor 11,209,857, renderer 11,040,812; Huang et al. 2019, section "
     "3.4: from its sizes",
     4,
     4});

}  // namespace vigil_bench::zoo::learning_to_paint
