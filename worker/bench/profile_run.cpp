#include "worker/bench/profile_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include "worker/bench/models/cage.hpp"
#include "worker/bench/operators/element_chains.hpp"
#include "worker/bench/operators/foreach_rows.hpp"
#include "worker/bench/operators/hint_clock.hpp"
#include "worker/bench/operators/hints.hpp"
#include "worker/bench/operators/modules.hpp"
#include "worker/bench/operators/operator_trace.hpp"
#include "worker/bench/operators/peaks.hpp"
#include "worker/bench/operators/profile.hpp"
#include "worker/bench/operators/published_work.hpp"

namespace vigil_bench {

namespace {

using nlohmann::json;

/// In what most products of this precision are computed.
at::ScalarType product_type(Precision precision) {
    return precision == Precision::tf32 ? at::kFloat : computing_type(precision);
}

/// On a device that works on after a call, an operator's time is its launch.
void drop_rates(json& operators) {
    for (auto& row : operators) {
        for (const auto* key : {"flops_per_s", "bytes_per_s", "of_peak_flops", "of_peak_bytes"}) {
            row.erase(key);
        }
    }
}

/// Twice the batch, where most of a step is not computing: what its rows would take less.
std::optional<Hint> measure_batch(
    Subject& subject, const OperatorTrace& trace, int iterations, int threads) {
    constexpr double small_ns = 10'000;
    double small = std::max(0.0, trace.wall_ns);
    std::int64_t calls = 0;
    for (const auto& event : trace.events) {
        if (event.self_ns >= small_ns) small -= event.self_ns;
        ++calls;
    }
    if (small < trace.wall_ns / 2 || trace.dropped > 0) return std::nullopt;
    const auto batch = subject.batch();
    const auto twice = subject.with_batch(2 * batch);
    if (!twice) return std::nullopt;
    constexpr double round_ns = 5e6;
    const auto once = [&] { subject.iterate(); };
    twice();
    const double once_ns = taken_ns(once, 1, threads);
    const int times = std::clamp(static_cast<int>(round_ns / std::max(1.0, once_ns)), 1, 100);
    std::vector<double> saved_ns;
    for (std::size_t i = 0; i < hint_rounds; ++i) {
        const double alone_ns = taken_ns(once, times, threads);
        saved_ns.push_back(alone_ns - taken_ns(twice, times, threads) / 2);
    }
    return hint_of(
        "small_operators",
        std::to_string(calls / iterations) + " calls, most of the time in those below 10 us: a " +
            "batch of " + std::to_string(2 * batch) + " in place of " + std::to_string(batch) +
            ", for the same rows",
        std::move(saved_ns),
        1);
}

/// Every variant that was measured, whatever it saves. On the CPU only: there are no copies between
/// devices and nothing to wait for.
std::vector<Hint> measure_hints(
    Subject& subject, const OperatorTrace& trace, const Arguments& arguments) {
    const int threads = arguments.threads;
    const auto iterate = [&] { subject.iterate(); };
    auto hints = measure_chains(iterate, threads);
    for (auto& hint : measure_rows(iterate, threads)) hints.push_back(std::move(hint));
    auto of_batch = measure_batch(subject, trace, arguments.profile_iterations, threads);
    if (of_batch) hints.push_back(std::move(*of_batch));
    return hints;
}

json profile(Subject& subject, Device& device, const Arguments& arguments, const StepTimes& step) {
    // By the clocks that hints are measured with: see hint_clock.hpp.
    const double hint_step_ns = arguments.threads == 1 ? step.cpu_ns : step.wall_ns;
    const int iterations = arguments.profile_iterations;
    // Two runs, one after the other, are compared: what else runs must not count.
    const bool is_cpu_time =
        is_asked_for_operators() && arguments.threads == 1 && !device.is_asynchronous();
    const OperatorTrace trace = trace_operators(
        iterations,
        [&] {
            subject.iterate();
            device.synchronise();
        },
        subject.named_memory(),
        is_cpu_time ? TraceClock::process : TraceClock::wall);
    const Peaks peaks = measure_peaks(
        product_type(arguments.precision), arguments.device, [&] { device.synchronise(); });
    const ModuleProfile modules = profile_modules(trace);
    const Work work = divided(trace.work, iterations);
    json result = profile_of(trace, iterations, peaks);
    if (device.is_asynchronous()) drop_rates(result["operators"]);
    result["roofline"] = roofline_json(work, step.wall_ns, peaks);
    const auto published = published_multiply_adds(arguments.model);
    if (published && arguments.mode == Mode::infer) {
        const double rows = static_cast<double>(subject.batch());
        result["roofline"]["published_product_flops"] = *published * 2e9 * rows;
    }
    result["modules"] = modules_json(modules, iterations);
    std::vector<Hint> hints;
    if (!device.is_asynchronous()) hints = measure_hints(subject, trace, arguments);
    result["hints_measured"] = measured_json(hints);
    hints = worth_saying(std::move(hints), hint_step_ns);
    result["hints"] = hints_json(hints, hint_step_ns);
    if (isatty(STDERR_FILENO) != 0) {
        std::cerr << profile_table(trace, iterations) << modules_table(modules, iterations)
                  << roofline_text(work, step.wall_ns, peaks) << hints_text(hints, hint_step_ns);
    }
    if (arguments.trace_file.empty()) return result;
    std::ofstream file(arguments.trace_file, std::ios::binary | std::ios::trunc);
    if (!(file << chrome_trace(trace, modules).dump()).flush()) {
        result["trace"] = "'" + arguments.trace_file + "' cannot be written";
    }
    return result;
}

}  // namespace

bool is_asked_for_operators() {
    const char* profiler = std::getenv("VIGIL_PROFILER");
    return profiler != nullptr && std::string_view(profiler) == "operators";
}

json profile_subject(
    Subject& subject, Device& device, const Arguments& arguments, const StepTimes& step) {
    try {
        return profile(subject, device, arguments, step);
    } catch (const std::exception& error) {
        return {{"absent", message_of(error)}};
    }
}

}  // namespace vigil_bench
