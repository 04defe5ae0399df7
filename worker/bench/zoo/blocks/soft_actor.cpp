#include "worker/bench/zoo/blocks/soft_actor.hpp"

#include "worker/bench/zoo/blocks/adversaries.hpp"
#include "worker/bench/zoo/blocks/layers.hpp"

namespace vigil_bench::zoo {

namespace soft_actor {

constexpr double discount = 0.99;
constexpr double temperature = 0.2;

nn::Sequential critic(const ActorShape& shape) {
    return perceptron({shape.observed + shape.actions, shape.hidden, shape.hidden, 1});
}

struct SoftActorCritic final : Network {
    explicit SoftActorCritic(const ActorShape& shape_) : shape(shape_) {
        actor = register_module(
            "actor", perceptron({shape.observed, shape.hidden, shape.hidden, 2 * shape.actions}));
        for (const auto* name : {"critic1", "critic2"}) {
            critics.push_back(register_module(name, critic(shape)));
        }
        for (const auto* name : {"target1", "target2"}) {
            targets.push_back(register_module(name, critic(shape)));
            for (auto& parameter : targets.back()->parameters()) parameter.requires_grad_(false);
        }
    }

    /// Observation, action, reward, next observation; noise for the actor's two choices.
    Tensors make_inputs(std::int64_t batch) const override {
        return {
            torch::randn({batch, shape.observed}),
            torch::rand({batch, shape.actions}) * 2 - 1,
            torch::randn({batch, 1}),
            torch::randn({batch, shape.observed}),
            torch::randn({batch, shape.actions}),
            torch::randn({batch, shape.actions})};
    }

    Chosen choose(const Tensor& observation, const Tensor& noise) {
        const auto parts = actor->forward(observation).chunk(2, 1);
        const Tensor log_deviation = parts[1].clamp(-5, 2);
        return squashed(parts[0], log_deviation, noise);
    }

    static Tensor least(
        std::vector<nn::Sequential>& judges, const Tensor& observation, const Tensor& action) {
        const Tensor both = torch::cat({observation, action}, 1);
        return torch::minimum(judges[0]->forward(both), judges[1]->forward(both));
    }

    Tensors answer(const Tensors& inputs) override {
        return {choose(inputs[0], torch::zeros_like(inputs[1])).action};
    }

    Tensor loss(const Tensors& inputs) override {
        Tensor wanted;
        {
            const WithoutGradients until_wanted;
            const Chosen next = choose(inputs[3], inputs[4]);
            const Tensor value = least(targets, inputs[3], next.action);
            wanted = inputs[2] + discount * (value - temperature * next.log_probability);
        }
        const Tensor both = torch::cat({inputs[0], inputs[1]}, 1);
        const Tensor critics_loss = torch::mse_loss(critics[0]->forward(both), wanted) +
                                    torch::mse_loss(critics[1]->forward(both), wanted);
        const Chosen now = choose(inputs[0], inputs[5]);
        // The actor's loss trains the actor only.
        const Frozen first(*critics[0]);
        const Frozen second(*critics[1]);
        const Tensor value = least(critics, inputs[0], now.action);
        return critics_loss + (temperature * now.log_probability - value).mean();
    }

    ActorShape shape;
    nn::Sequential actor = nullptr;
    std::vector<nn::Sequential> critics;
    std::vector<nn::Sequential> targets;
};

}  // namespace soft_actor

std::shared_ptr<Network> make_soft_actor_critic(const ActorShape& shape) {
    return std::make_shared<soft_actor::SoftActorCritic>(shape);
}

}  // namespace vigil_bench::zoo
