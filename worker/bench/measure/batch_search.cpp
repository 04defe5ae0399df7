#include "worker/bench/measure/batch_search.hpp"

namespace vigil_bench {

namespace {

constexpr double least_growth = 1.05;

}  // namespace

BatchChoice choose_batch(
    const std::function<BatchTry(std::int64_t batch)>& try_batch, std::int64_t largest) {
    BatchChoice choice;
    double best = 0;
    double last = 0;
    for (std::int64_t batch = 1; batch <= largest; batch *= 2) {
        choice.tries.push_back(try_batch(batch));
        const BatchTry& now = choice.tries.back();
        if (!now.failure.empty()) {
            choice.reason =
                (now.is_out_of_memory ? "memory ends at batch " : "it fails at batch ") +
                std::to_string(batch);
            return choice;
        }
        if (now.rows_per_s > best) {
            best = now.rows_per_s;
            choice.batch = batch;
        }
        if (batch > 1 && now.rows_per_s < last * least_growth) {
            choice.reason = "throughput grows by less than 5 % at batch " + std::to_string(batch);
            return choice;
        }
        last = now.rows_per_s;
    }
    choice.reason = "no larger batch is tried";
    return choice;
}

}  // namespace vigil_bench
