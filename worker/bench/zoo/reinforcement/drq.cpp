#include "worker/bench/zoo/blocks/adversaries.hpp"
#include "worker/bench/zoo/blocks/layers.hpp"

// Kostrikov et al. 2020, "Image augmentation is all you need", DrQ as its official code has it, on
// the 6 actions of "cheetah run": three pictures of 84 x 84, shifted at random in training.

namespace vigil_bench::zoo::drq {

constexpr std::int64_t channels = 9;
constexpr std::int64_t side = 84;
constexpr std::int64_t pad = 4;
constexpr std::int64_t seen = 50;
constexpr std::int64_t flat = 32 * 35 * 35;
constexpr std::int64_t hidden = 1024;
constexpr std::int64_t actions = 6;
constexpr double discount = 0.99;
constexpr double temperature = 0.1;

nn::Sequential make_convs() {
    nn::Sequential layers;
    for (int i = 0; i < 4; ++i) {
        layers->push_back(
            nn::Conv2d(nn::Conv2dOptions(i == 0 ? channels : 32, 32, 3).stride(i == 0 ? 2 : 1)));
        layers->push_back(activation(Activation::relu));
    }
    layers->push_back(nn::Flatten());
    return layers;
}

nn::Sequential make_head() {
    return nn::Sequential(
        nn::Linear(flat, seen),
        nn::LayerNorm(nn::LayerNormOptions({seen})),
        activation(Activation::tanh));
}

struct CriticImpl final : nn::Module {
    /// Both judgements, [b,1] each.
    std::pair<Tensor, Tensor> forward(const Tensor& pictures, const Tensor& action) {
        const Tensor both = torch::cat({head->forward(convs->forward(pictures)), action}, 1);
        return {first->forward(both), second->forward(both)};
    }

    nn::Sequential convs = register_module("convs", make_convs());
    nn::Sequential head = register_module("head", make_head());
    nn::Sequential first =
        register_module("first", perceptron({seen + actions, hidden, hidden, 1}));
    nn::Sequential second =
        register_module("second", perceptron({seen + actions, hidden, hidden, 1}));
};
TORCH_MODULE(Critic);

struct Drq final : Network {
    Drq() {
        for (auto& parameter : target->parameters()) parameter.requires_grad_(false);
        head = register_module("head", make_head());
        actor = register_module("actor", perceptron({seen, hidden, hidden, 2 * actions}));
    }

    /// Pictures, action, reward, next pictures; noise for two choices; shifts of both pictures.
    Tensors make_inputs(std::int64_t batch) const override {
        const auto pictures = [&] { return torch::rand({batch, channels, side, side}) - 0.5; };
        return {
            pictures(),
            torch::rand({batch, actions}) * 2 - 1,
            torch::randn({batch, 1}),
            pictures(),
            torch::randn({batch, actions}),
            torch::randn({batch, actions}),
            torch::randint(2 * pad + 1, {2, 2}, torch::kLong)};
    }

    /// Padded by its border, then cut out elsewhere.
    static Tensor shifted(const Tensor& pictures, const Tensor& by) {
        const auto down = by[0].item<std::int64_t>();
        const auto right = by[1].item<std::int64_t>();
        return torch::replication_pad2d(pictures, {pad, pad, pad, pad})
            .narrow(2, down, side)
            .narrow(3, right, side);
    }

    /// The actor sees through the critic's convolutions, which it does not train.
    Chosen choose(const Tensor& pictures, const Tensor& noise) {
        const Tensor view = head->forward(critic->convs->forward(pictures).detach());
        const auto parts = actor->forward(view).chunk(2, 1);
        const Tensor log_deviation = 6 * (parts[1].tanh() + 1) - 10;
        return squashed(parts[0], log_deviation, noise);
    }

    Tensors answer(const Tensors& inputs) override {
        return {choose(inputs[0], torch::zeros_like(inputs[1])).action};
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensor now = shifted(inputs[0], inputs[6][0]);
        const Tensor later = shifted(inputs[3], inputs[6][1]);
        Tensor wanted;
        {
            const WithoutGradients until_wanted;
            const Chosen next = choose(later, inputs[4]);
            const auto values = target->forward(later, next.action);
            wanted = inputs[2] + discount * (torch::minimum(values.first, values.second) -
                                             temperature * next.log_probability);
        }
        const auto judged = critic->forward(now, inputs[1]);
        const Tensor off =
            torch::mse_loss(judged.first, wanted) + torch::mse_loss(judged.second, wanted);
        const Chosen chosen = choose(now, inputs[5]);
        const Frozen frozen(*critic);  // the actor's loss trains the actor only
        const auto values = critic->forward(now, chosen.action);
        return off +
               (temperature * chosen.log_probability - torch::minimum(values.first, values.second))
                   .mean();
    }

    Critic critic = register_module("critic", Critic());
    Critic target = register_module("target", Critic());
    nn::Sequential head = nullptr;
    nn::Sequential actor = nullptr;
};

const Registered<Drq> registered(
    {"drq",
     "reinforcement",
     "DrQ from pictures, 84 x 84",
     11'491'282,
     "official DrQ, cheetah run; Kostrikov et al. 2020, Appendix B: actor 3,074,274 (without "
     "shared convolutions), twice a critic of 4,208,504: from its sizes",
     8,
     8});

}  // namespace vigil_bench::zoo::drq
