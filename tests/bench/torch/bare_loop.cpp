// Calls a model in a bare loop, by itself or beside vigil-bench's own way of measuring.
// usage: bare_loop MODEL ROUNDS
//
// 0 rounds: one iteration, then the end (what LibTorch and the model cost by themselves).
// One line a round: nanoseconds of one iteration by vigil-bench, then by the bare loop (medians).

#include <cstdio>
#include <cstdlib>
#include <time.h>
#include <vector>

#include <ATen/core/grad_mode.h>

#include "worker/bench/measure/measure.hpp"
#include "worker/bench/models/models.hpp"
#include "worker/bench/prepare.hpp"

using namespace vigil_bench;

namespace {

double cpu_ns() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

constexpr int block_iterations = 12;

double by_bare_loop(const LearningProblem& problem, const Operators& operators) {
    std::vector<double> times;
    const at::NoGradGuard no_grad;
    for (int i = 0; i < block_iterations; ++i) {
        const double start_ns = cpu_ns();
        problem.forward(operators, problem.input);
        times.push_back(cpu_ns() - start_ns);
    }
    return median(times);
}

double by_vigil_bench(const LearningProblem& problem, const Operators& operators) {
    MeasureLimits limits;
    limits.min_time_s = 0;
    limits.max_warmup_s = 0;
    limits.sample_time_s = 0;
    limits.min_samples = block_iterations;
    const auto iterate = [&] {
        const at::NoGradGuard no_grad;
        problem.forward(operators, problem.input);
    };
    Device cpu;
    return median(measure(
                      limits, iterate, [] { return LiveBytes{}; }, cpu)
                      .cpu_time_ns);
}

}  // namespace

int main(int count, char** values) {
    const ModelEntry* model = count == 3 ? find_model(values[1]) : nullptr;
    if (model == nullptr) {
        std::fputs("usage: bare_loop MODEL ROUNDS\n", stderr);
        return 2;
    }
    prepare_process(1);
    const LearningProblem problem = make_problem(*model, model->infer_batch, 1);
    const Operators operators = reference_operators();
    by_bare_loop(problem, operators);
    const int rounds = std::atoi(values[2]);
    for (int i = 0; i < rounds; ++i) {
        double measured = 0;
        double bare = 0;
        // Each goes first as often as the other.
        if (i % 2 == 0) measured = by_vigil_bench(problem, operators);
        bare = by_bare_loop(problem, operators);
        if (i % 2 == 1) measured = by_vigil_bench(problem, operators);
        std::printf("%.1f %.1f\n", measured, bare);
    }
    return 0;
}
