#pragma once

#include <vector>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/child.hpp"
#include "worker/bench/models/subject.hpp"

namespace vigil_bench {

/// What processes that share the work made of it.
struct SharedWork {
    std::vector<double> wall_time_ns;  ///< [processes] per iteration
    std::vector<double> cpu_time_ns;   ///< [processes] per iteration
    double rows_per_s = 0;             ///< of all
    AnswerCheck check;                 ///< of the first process
    std::int64_t batch = 0;            ///< of each process
};

/// Runs the model in so many processes at once, each with a batch of its own, on the clock from the
/// moment all are warm. In training they average their gradients in every step, through memory that
/// they share.
/// @param failed  set to how it ended where it did; nothing else is then true
SharedWork run_together(const Arguments& arguments, int processes, ChildEnd& failed);

/// (T_n / T_1 - 1) / (n - 1): 1 when n processes do n times the work, 0 when they do that of one.
/// @source  AIME, "Deep learning GPU benchmarks"
double scaling_factor(double rows_per_s_of_one, double rows_per_s_of_all, int processes);

}  // namespace vigil_bench
