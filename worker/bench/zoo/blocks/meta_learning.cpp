#include "worker/bench/zoo/blocks/meta_learning.hpp"

namespace vigil_bench::zoo {

Tensors stepped(
    const Tensors& weights,
    double rate,
    bool differentiable,
    const std::function<Tensor(const Tensors&)>& loss) {
    constexpr bool keeps_graph = true;
    const auto slopes =
        torch::autograd::grad({loss(weights)}, weights, {}, keeps_graph, differentiable);
    Tensors after;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        after.push_back(weights[i] - rate * slopes[i]);
    }
    return after;
}

Tensors omniglot_tasks(
    std::int64_t tasks, std::int64_t ways, std::int64_t shown, std::int64_t asked) {
    constexpr std::int64_t side = 28;
    return {
        torch::rand({tasks, shown, 1, side, side}),
        torch::randint(ways, {tasks, shown}, torch::kLong),
        torch::rand({tasks, asked, 1, side, side}),
        torch::randint(ways, {tasks, asked}, torch::kLong)};
}

}  // namespace vigil_bench::zoo
