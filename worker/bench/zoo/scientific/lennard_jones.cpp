#include "worker/bench/zoo/blocks/layers.hpp"

// functorch's example "lennard_jones", as in TorchBench: a perceptron learns the energy of two
// atoms at a distance, and their force as its derivative.

namespace vigil_bench::zoo::lennard_jones {

struct LennardJones final : Network {
    /// Distances in units of sigma, their energies and their forces.
    Tensors make_inputs(std::int64_t batch) const override {
        const Tensor distance = torch::rand({batch, 1}) * 2 + 0.9;
        const Tensor sixth = distance.pow(-6);
        return {
            distance, 4 * (sixth.square() - sixth), 24 * (2 * sixth.square() - sixth) / distance};
    }

    /// Energy and force, [b,1] each.
    Tensors answer(const Tensors& inputs) override {
        const torch::AutoGradMode with_grad(true);
        const Tensor distance = inputs[0].detach().requires_grad_();
        const Tensor energies = energy->forward(distance);
        const Tensor slope = torch::autograd::grad({energies.sum()}, {distance}, {}, true, true)[0];
        return {energies, -slope};
    }

    Tensor loss(const Tensors& inputs) override {
        const Tensors found = answer(inputs);
        return torch::mse_loss(found[0], inputs[1]) + torch::mse_loss(found[1], inputs[2]);
    }

    nn::Sequential energy =
        register_module("energy", perceptron({1, 16, 16, 16, 16, 1}, Activation::tanh));
};

const Registered<LennardJones> registered(
    {"lennard_jones",
     "scientific",
     "Energy and force by autograd, of 1000 pairs",
     865,
     "functorch example lennard_jones: 1, 16, 16, 16, 16, 1: from its sizes",
     1000,
     1000});

}  // namespace vigil_bench::zoo::lennard_jones
