#include "worker/bench/zoo/blocks/adversaries.hpp"

namespace vigil_bench::zoo {

Tensor says_real(const Tensor& scores) {
    return torch::binary_cross_entropy_with_logits(scores, torch::ones_like(scores));
}

Tensor says_made(const Tensor& scores) {
    return torch::binary_cross_entropy_with_logits(scores, torch::zeros_like(scores));
}

Tensor near_one(const Tensor& scores) {
    return (scores - 1).square().mean();
}

Tensor near_zero(const Tensor& scores) {
    return scores.square().mean();
}

}  // namespace vigil_bench::zoo
