#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// The batch with the best throughput. Knows nothing of LibTorch.

namespace vigil_bench {

struct BatchTry {
    std::int64_t batch = 0;
    double rows_per_s = 0;  ///< 0: it did not run
    std::string failure;    ///< why not; empty: it ran
    bool is_out_of_memory = false;
};

struct BatchChoice {
    std::int64_t batch = 0;       ///< 0: none ran
    std::string reason;           ///< why no larger one
    std::vector<BatchTry> tries;  ///< in ascending order of batch
};

/// Doubles the batch from 1 until twice in a row throughput is not 5 % above the best so far, a
/// batch does not run, or `largest` is reached; chooses the smallest whose throughput is within 10
/// % of the best.
BatchChoice choose_batch(
    const std::function<BatchTry(std::int64_t batch)>& try_batch, std::int64_t largest);

}  // namespace vigil_bench
