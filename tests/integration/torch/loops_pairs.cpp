#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "tests/integration/torch/loops.hpp"
#include "worker/bench/zoo/blocks/sets/assignment.hpp"

// The search for pairs, against trying all of them.

namespace vigil_bench::zoo::loops {

namespace {

/// The least sum over all ways to give each column a row of its own.
double least_sum(const Tensor& costs) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(costs.size(0)));
    std::iota(rows.begin(), rows.end(), 0);
    double least = std::numeric_limits<double>::infinity();
    do {
        double sum = 0;
        for (std::int64_t column = 0; column < costs.size(1); ++column) {
            sum += costs[rows[static_cast<std::size_t>(column)]][column].item<double>();
        }
        least = std::min(least, sum);
    } while (std::next_permutation(rows.begin(), rows.end()));
    return least;
}

/// [b,6,columns]: the pairs' costs, which cannot be less.
struct Pairs : Network {
    Tensors make_inputs(std::int64_t batch) const override {
        return {torch::randn({batch, 6, 4}), torch::randint(3, {batch, 6, 6}).to(torch::kFloat)};
    }

    Tensors answer(const Tensors& inputs) override {
        for (const auto& some : inputs) {
            for (const auto& costs : some.unbind(0)) {
                const Tensor rows = pairs(costs);
                if (std::get<0>(torch::_unique(rows)).numel() != costs.size(1)) {
                    throw std::runtime_error("two columns have one row");
                }
                const double sum = costs.gather(0, rows.unsqueeze(0)).sum().item<double>();
                if (std::abs(sum - least_sum(costs)) > 1e-5) {
                    throw std::runtime_error("other pairs cost less");
                }
            }
        }
        return {inputs[0]};
    }

    virtual Tensor pairs(const Tensor& costs) const { return cheapest_rows(costs); }

    Tensor loss(const Tensors& inputs) override { return inputs[0].sum(); }
};

/// What does not look ahead: each column in turn takes the cheapest row that is left.
struct GreedyPairs final : Pairs {
    Tensor pairs(const Tensor& costs) const override {
        Tensor left = costs.clone();
        Tensors rows;
        for (std::int64_t column = 0; column < costs.size(1); ++column) {
            rows.push_back(left.select(1, column).argmin());
            left[rows.back().item<std::int64_t>()] = 1e9;
        }
        return torch::stack(rows);
    }
};

const RegisteredLoops<Pairs> all_pairs("loops_pairs", 8);
const RegisteredLoops<GreedyPairs> greedy_pairs("loops_pairs_off", 8);

}  // namespace

}  // namespace vigil_bench::zoo::loops
