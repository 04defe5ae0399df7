#include <fstream>
#include <iostream>
#include <memory>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "worker/bench/arguments/help.hpp"
#include "worker/bench/child.hpp"
#include "worker/bench/data_parallel.hpp"
#include "worker/bench/device/device.hpp"
#include "worker/bench/device/gpu.hpp"
#include "worker/bench/last_words.hpp"
#include "worker/bench/measure/batch_search.hpp"
#include "worker/bench/measure/counting_allocator.hpp"
#include "worker/bench/measure/instructions.hpp"
#include "worker/bench/measure/measure.hpp"
#include "worker/bench/measure/processors.hpp"
#include "worker/bench/measure/second_batch.hpp"
#include "worker/bench/measure/turns.hpp"
#include "worker/bench/memory_run.hpp"
#include "worker/bench/missing_device.hpp"
#include "worker/bench/models/model_list.hpp"
#include "worker/bench/operators/operator_trace.hpp"
#include "worker/bench/operators/profile.hpp"
#include "worker/bench/operators_run.hpp"
#include "worker/bench/outcome.hpp"
#include "worker/bench/prepare.hpp"
#include "worker/bench/profile_run.hpp"
#include "worker/bench/profiled_run.hpp"
#include "worker/bench/python_package.hpp"
#include "worker/bench/report.hpp"
#include "worker/bench/suite/coverage.hpp"
#include "worker/bench/suite/suite.hpp"
#include "worker/bench/suite/suite_plan.hpp"

namespace vigil_bench {

namespace {

constexpr std::int64_t largest_auto_batch = 65536;

/// Processors are chosen only where turns are shared, and for one thread: nothing else is known to
/// be better off on one of them.
std::unique_ptr<Turns> make_turns(const Arguments& arguments) {
    constexpr double max_wait_in_group_s = 600;
    const bool alone = arguments.max_lock_wait_s > 0;
    auto group = turn_group();
    const double max_wait_s = alone ? arguments.max_lock_wait_s : max_wait_in_group_s;
    const bool pin = group && arguments.threads == 1;
    return std::make_unique<Turns>(std::move(group), max_wait_s, alone, pin);
}

MeasureLimits limits_of(const Arguments& arguments) {
    return {
        arguments.min_time_s,
        arguments.max_warmup_s,
        arguments.sample_time_s,
        arguments.min_samples,
        arguments.max_samples};
}

double rows_per_s(std::int64_t batch, const Measured& measured) {
    return static_cast<double>(batch) * 1e9 / median(measured.wall_time_ns);
}

/// A short look, in a process of its own: what it leaves behind would count as the model's memory.
BatchTry try_batch(Arguments arguments, std::int64_t batch) {
    arguments.batch = batch;
    constexpr MeasureLimits short_look{0.2, 0.2, 0.01, 5, 200};
    const auto look = [&] {
        prepare_process(arguments.threads);
        const auto subject = make_subject(arguments);
        const auto device = make_device(arguments);
        const auto measured = measure(
            short_look, [&] { subject->iterate(); }, [] { return LiveBytes{}; }, *device);
        return std::to_string(rows_per_s(batch, measured));
    };
    const ChildEnd end = run_in_children(arguments, {look}).front();
    if (!end.failure.empty()) return {batch, 0, end.failure, end.ending == ExitReason::oom};
    return {batch, std::stod(end.text), "", false};
}

nlohmann::json to_json(const BatchChoice& choice) {
    nlohmann::json tries = nlohmann::json::array();
    for (const auto& one : choice.tries) {
        nlohmann::json entry{{"batch", one.batch}};
        if (one.failure.empty()) {
            entry["rows_per_s"] = one.rows_per_s;
        } else {
            entry["failure"] = one.failure;
        }
        tries.push_back(std::move(entry));
    }
    return {{"chosen", choice.batch}, {"reason", choice.reason}, {"tries", tries}};
}

int finish_checked(const AnswerCheck& check, nlohmann::json document) {
    document["info"]["accuracy"] = accuracy_of(check);
    std::string wrong = check.wrong;
    if (!wrong.empty() && !check.nondeterminism.empty()) wrong += "; " + check.nondeterminism;
    return finish(
        wrong.empty() ? ExitReason::passed : ExitReason::wrong, wrong, std::move(document));
}

int run_data_parallel(const Arguments& arguments) {
    begin_stage("measuring one process");
    ChildEnd failed;
    const auto end_of = [&] { return finish(failed.ending, failed.failure, {}); };
    const SharedWork one = run_together(arguments, 1, failed);
    if (!failed.failure.empty()) return end_of();
    begin_stage("measuring all processes");
    const SharedWork all = run_together(arguments, arguments.processes, failed);
    if (!failed.failure.empty()) return end_of();
    nlohmann::json document;
    document["samples"] = {{"wall_time_ns", all.wall_time_ns}, {"cpu_time_ns", all.cpu_time_ns}};
    document["info"] = variant_of(arguments, all.batch);
    document["info"]["metrics"] = scaling_metrics(one.rows_per_s, all, arguments.processes);
    return finish_checked(one.check, std::move(document));
}

/// After everything that is timed.
void count_iteration(Subject& subject, const InstructionCounter& counter, nlohmann::json& info) {
    auto& metrics = info["metrics"];
    const std::int64_t allocations = allocation_counts().allocations;
    const auto instructions = counter.count();
    subject.iterate();
    const auto later = counter.count();
    info["allocations_per_iteration"] = allocation_counts().allocations - allocations;
    if (instructions && later) {
        add_metric(metrics, "instructions", *later - *instructions);
    } else {
        add_absence(metrics, "instructions", counter.absence());
    }
}

/// The device's own clock and memory; its peaks take a pass of their own.
void add_device(
    Device& device,
    const std::function<void()>& iterate,
    const Measured& measured,
    nlohmann::json& info) {
    auto& metrics = info["metrics"];
    for (const auto& [name, value] : device.facts()) info[name] = value;
    if (measured.device_time_ns.empty()) {
        add_absence(metrics, "gpu_time_ns", "the events of this LibTorch have no clock");
    } else {
        add_metric(metrics, "gpu_time_ns", median(measured.device_time_ns));
    }
    const std::string no_memory = "this vigil-bench was built on a LibTorch without CUDA";
    if (measured.device_live_bytes.empty()) {
        add_absence(metrics, "gpu_leak", no_memory);
    } else {
        add_gpu_leak(metrics, measured);
    }
    begin_stage("measuring the GPU's memory");
    if (const auto peaks = peaks_of(device, iterate)) {
        add_metric(
            metrics, "peak_gpu_allocated_bytes", static_cast<double>(peaks->allocated_bytes));
        add_metric(metrics, "peak_gpu_reserved_bytes", static_cast<double>(peaks->reserved_bytes));
    } else {
        add_absence(metrics, "peak_gpu_allocated_bytes", no_memory);
        add_absence(metrics, "peak_gpu_reserved_bytes", no_memory);
    }
}

nlohmann::json info_of(
    const Arguments& arguments,
    Subject& subject,
    const Measured& measured,
    const Turns& turns,
    const InstructionCounter& counter,
    Device& device) {
    nlohmann::json info = variant_of(arguments, subject.batch());
    info["library_operators"] = subject.library_operators();
    info["iterations_per_sample"] = measured.iterations_per_sample;
    info["warmup_iterations"] = measured.warmup_iterations;
    info["warmup_steady"] = measured.warmup_steady;
    info["warmup_s"] = measured.warmup_s;
    info["exclusive"] = turns.is_held();
    info["in_turns"] = turns.is_shared();
    info["lock_wait_s"] = turns.waited_s();
    auto& metrics = info["metrics"];
    add_metric(metrics, "throughput", rows_per_s(subject.batch(), measured));
    add_metric(metrics, "first_step_ns", measured.first_step_ns);
    if (subject.compile_time_ns() > 0)
        add_metric(metrics, "compile_time_ns", subject.compile_time_ns());
    add_leak(metrics, measured);
    if (device.is_asynchronous()) {
        add_device(
            device, [&] { subject.iterate(); }, measured, info);
    }
    count_iteration(subject, counter, info);
    info["leak_bytes_per_iteration"] = info["metrics"]["leak"]["value"];
    return info;
}

/// Whether the model takes it, and what that costs; one that does not has been measured all the
/// same.
void try_second_batch(
    Subject& subject, std::int64_t batch, Device& device, nlohmann::json& document) {
    document["info"]["second_batch"] = batch;
    begin_later_stage("measuring the second batch", document);
    auto& metrics = document["info"]["metrics"];
    try {
        const auto iterate = subject.with_batch(batch);
        if (!iterate) throw UnsupportedError("this model has one size of its batch");
        const auto second = measure_second_batch(iterate, device);
        add_metric(metrics, "second_batch_step_ns", second.step_ns);
        add_metric(metrics, "second_batch_compile_ns", second.compile_ns);
    } catch (const std::exception& error) {
        add_absence(metrics, "second_batch_step_ns", message_of(error));
        add_absence(metrics, "second_batch_compile_ns", message_of(error));
    }
}

/// A profiler that fails takes nothing of what was measured.
void try_breakdown(
    const std::function<void()>& iterate,
    Device& device,
    int iterations,
    double step_ns,
    nlohmann::json& document) {
    begin_later_stage("breaking its time down", document);
    auto& breakdown = document["info"]["breakdown"];
    try {
        if (!device.is_asynchronous()) {
            breakdown =
                cpu_breakdown_of(trace_operators(iterations, iterate), iterations * step_ns);
            return;
        }
        auto trace = trace_gpu(iterations, iterate, [&] { device.synchronise(); });
        trace.wall_ns = iterations * step_ns;
        breakdown = breakdown_of(trace);
    } catch (const std::exception& error) {
        breakdown = {{"absent", message_of(error)}};
    }
}

LiveBytes live_bytes() {
    return {allocation_counts().live_bytes, allocated_bytes(), resident_bytes()};
}

/// @param compile_ns  what a package took that was made for this run; 0: none was
int run_alone(const Arguments& arguments, const nlohmann::json& batch_search, double compile_ns) {
    nlohmann::json memory;
    if (arguments.profile_iterations > 0) memory = profile_memory(arguments);
    const InstructionCounter counter;
    prepare_process(arguments.threads);
    const auto before = process_memory();
    const bool compiles = arguments.backend == Backend::jit;
    begin_stage(compiles ? "building and compiling the model" : "building the model");
    const auto subject = make_subject(arguments);
    const auto device = make_device(arguments);
    // What building, converting and compiling it took is not what running it takes.
    reset_peak();
    const bool has_reset_peak = reset_process_peak();
    begin_stage("waiting for its turn");
    // Kept until the process has ended: what comes after measuring would disturb the others.
    auto& turns = *make_turns(arguments).release();
    begin_stage("measuring");
    const auto iterate = [&] { subject->iterate(); };
    const Measured measured = measure(
        limits_of(arguments),
        iterate,
        live_bytes,
        *device,
        turns.is_shared() ? [&] { turns.pass(); } : std::function<void()>{});

    nlohmann::json document;
    document["samples"] = samples_of(measured, before);  // before the check adds to the peaks
    document["info"] = info_of(arguments, *subject, measured, turns, counter, *device);
    if (compile_ns > 0) add_metric(document["info"]["metrics"], "compile_time_ns", compile_ns);
    if (!has_reset_peak) document["info"]["process_peak_of"] = "building and running";
    auto& metrics = document["info"]["metrics"];
    if (metrics.contains("peak_gpu_allocated_bytes") &&
        metrics["peak_gpu_allocated_bytes"].contains("value")) {
        document["samples"]["peak_gpu_bytes"] = {metrics["peak_gpu_allocated_bytes"]["value"]};
    }
    if (!batch_search.empty()) document["info"]["batch_search"] = batch_search;
    if (arguments.breakdown_iterations > 0) {
        try_breakdown(
            iterate,
            *device,
            arguments.breakdown_iterations,
            median(measured.wall_time_ns),
            document);
    }
    if (arguments.profile_iterations > 0) {
        begin_later_stage("timing its operators", document);
        const StepTimes step{median(measured.wall_time_ns), median(measured.cpu_time_ns)};
        auto& profile = document["info"]["profile"];
        profile = profile_subject(*subject, *device, arguments, step);
        if (!memory.is_null()) profile["memory"] = std::move(memory);
    }
    if (arguments.second_batch > 0) {
        try_second_batch(*subject, arguments.second_batch, *device, document);
    }
    begin_later_stage("checking the answer", document);
    return finish_checked(check_answer_of(*subject), std::move(document));
}

/// @throws UsageError
int print_coverage(const Arguments& arguments) {
    std::ifstream file(arguments.coverage_file, std::ios::binary);
    if (!file) throw UsageError("--ops: '" + arguments.coverage_file + "' cannot be read");
    const Coverage coverage = read_coverage(file);
    if (arguments.list_format == ListFormat::json) {
        std::cout << coverage_json(coverage).dump() << "\n";
    } else {
        std::cout << coverage_text(coverage);
    }
    return 0;
}

/// More would wait for each other, which no number says.
void check_threads(int threads) {
    if (threads <= processors()) return;
    throw UsageError(
        "--threads takes a number up to " + std::to_string(processors()) +
        ", the processors that this process may use, not " + std::to_string(threads));
}

int run(Arguments arguments) {
    constexpr int usual_profile = 20;
    const bool is_asked = arguments.processes == 1 && is_asked_for_operators();
    if (arguments.profile_iterations == 0 && is_asked) arguments.profile_iterations = usual_profile;
    std::string unsupported = find_missing_device(arguments);
    if (unsupported.empty()) unsupported = find_unsupported(arguments);
    if (!unsupported.empty()) return finish(ExitReason::unsupported, unsupported, {});
    const std::string too_little = find_too_little_memory();
    if (!too_little.empty()) return finish(ExitReason::oom, too_little, {});
    prepare_last_words(arguments.time_limit_s);
    nlohmann::json batch_search;
    if (arguments.batch == auto_batch && !is_profiled(arguments)) {
        begin_stage("searching the batch");
        batch_of(arguments);  // refuses an unknown model
        const auto choice = choose_batch(
            [&](std::int64_t batch) { return try_batch(arguments, batch); }, largest_auto_batch);
        // Where none runs, batch 1 says here why not.
        arguments.batch = choice.batch > 0 ? choice.batch : 1;
        batch_search = to_json(choice);
        introduce(variant_of(arguments, arguments.batch));
    }
    try {
        std::unique_ptr<ScratchPlace> place;
        double compile_ns = 0;
        if (is_python_model(arguments.model)) {
            begin_stage("compiling the package");
            place = std::make_unique<ScratchPlace>();
            compile_ns = compile_package(arguments, place->path());
            introduce(introduction_of(arguments));
        }
        if (arguments.processes > 1) return run_data_parallel(arguments);
        if (is_profiled(arguments)) return run_profiled(arguments);
        return run_alone(arguments, batch_search, compile_ns);
    } catch (const std::exception& error) {
        const ExitReason ending = ending_of(error, arguments);
        return finish(ending, words_of(error, ending), {});
    }
}

}  // namespace

}  // namespace vigil_bench

int main(int count, char** values) {
    using namespace vigil_bench;
    Arguments arguments;
    try {
        if (asks_for_suite(count, values)) return run_suite(count, values);
        if (asks_for_backends(count, values)) return compare_backends(count, values);
        parse_arguments(count, values, arguments);
        if (arguments.threads == all_threads) arguments.threads = processors();
        check_threads(arguments.threads);
        if (arguments.action == Action::help) {
            std::cout << help_text() << "\nmodels:\n" << model_list(ListFormat::text);
            return 0;
        }
        if (arguments.action == Action::list) {
            std::cout << model_list(arguments.list_format);
            return 0;
        }
        if (arguments.action == Action::cover) return print_coverage(arguments);
        if (arguments.action == Action::operators) return run_operators(arguments);
        introduce(introduction_of(arguments));
        return run(arguments);
    } catch (const std::exception& error) {
        introduce(introduction_of(arguments));
        const ExitReason ending = ending_of(error, {});
        return finish(ending, words_of(error, ending), {});
    }
}
