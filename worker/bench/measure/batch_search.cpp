#include "worker/bench/measure/batch_search.hpp"

#include <algorithm>

namespace vigil_bench {

namespace {

constexpr double least_growth = 1.05;
constexpr double close_to_best = 0.9;
constexpr int most_without_growth = 2;

/// The smallest batch that is nearly as fast as the best: where throughput stands still, noise
/// alone says which of several is the best.
std::int64_t smallest_good(const std::vector<BatchTry>& tries, double best) {
    for (const auto& one : tries) {
        if (one.failure.empty() && one.rows_per_s >= close_to_best * best) return one.batch;
    }
    return 0;
}

}  // namespace

BatchChoice choose_batch(
    const std::function<BatchTry(std::int64_t batch)>& try_batch, std::int64_t largest) {
    BatchChoice choice;
    double best = 0;
    int without_growth = 0;
    choice.reason = "no larger batch is tried";
    for (std::int64_t batch = 1; batch <= largest; batch *= 2) {
        choice.tries.push_back(try_batch(batch));
        const BatchTry& now = choice.tries.back();
        if (!now.failure.empty()) {
            choice.reason =
                (now.is_out_of_memory ? "memory ends at batch " : "it fails at batch ") +
                std::to_string(batch);
            break;
        }
        without_growth = now.rows_per_s < best * least_growth ? without_growth + 1 : 0;
        best = std::max(best, now.rows_per_s);
        if (without_growth == most_without_growth) {
            choice.reason =
                "throughput grows by less than 5 % up to batch " + std::to_string(batch);
            break;
        }
    }
    choice.batch = smallest_good(choice.tries, best);
    return choice;
}

}  // namespace vigil_bench
