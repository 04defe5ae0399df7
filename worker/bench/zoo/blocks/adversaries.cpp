#include "worker/bench/zoo/blocks/adversaries.hpp"

namespace vigil_bench::zoo {

nn::Functional leaky() {
    return nn::Functional([](Tensor x) { return torch::leaky_relu_(x, 0.2); });
}

Tensor says_real(const Tensor& scores) {
    return torch::binary_cross_entropy_with_logits(scores, torch::ones_like(scores));
}

Tensor says_made(const Tensor& scores) {
    return torch::binary_cross_entropy_with_logits(scores, torch::zeros_like(scores));
}

Chosen squashed(const Tensor& mean, const Tensor& log_deviation, const Tensor& noise) {
    const Tensor action = (mean + log_deviation.exp() * noise).tanh();
    const Tensor squashing = (1 - action.square() + 1e-6).log();
    const Tensor density = -0.5 * noise.square() - log_deviation - 0.9189385332046727;
    return {action, (density - squashing).sum(1, true)};
}

Tensor near_one(const Tensor& scores) {
    return (scores - 1).square().mean();
}

Tensor near_zero(const Tensor& scores) {
    return scores.square().mean();
}

}  // namespace vigil_bench::zoo
