#include <iostream>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "worker/bench/arguments.hpp"
#include "worker/bench/counting_allocator.hpp"
#include "worker/bench/measure.hpp"
#include "worker/bench/model_list.hpp"
#include "worker/bench/process_memory.hpp"
#include "worker/bench/subject.hpp"
#include "worker/bench/turns.hpp"

namespace vigil_bench {

namespace {

enum class Outcome { passed, failed, usage, wrong, oom, unsupported };

int exit_code(Outcome outcome) {
    switch (outcome) {
        case Outcome::passed: return 0;
        case Outcome::failed: return 1;
        case Outcome::usage: return 2;
        case Outcome::wrong: return 3;
        case Outcome::oom: return 4;
        case Outcome::unsupported: return 77;
    }
    return 1;
}

const char* to_text(Outcome outcome) {
    switch (outcome) {
        case Outcome::passed: return "passed";
        case Outcome::failed: return "failed";
        case Outcome::usage: return "failed";
        case Outcome::wrong: return "wrong";
        case Outcome::oom: return "oom";
        case Outcome::unsupported: return "unsupported";
    }
    return "failed";
}

/// Prints the one line of output. `document` may hold samples and info.
int finish(Outcome outcome, const std::string& message, nlohmann::json document) {
    document["vigil_bench"] = 1;
    document["outcome"] = to_text(outcome);
    if (outcome != Outcome::passed) {
        document["message"] = message;
        document.erase("samples");
        std::cerr << "vigil-bench: " << to_text(outcome) << ": " << message << "\n";
    }
    constexpr int no_indent = -1;
    std::cout << document.dump(no_indent, ' ', false, nlohmann::json::error_handler_t::replace)
              << std::endl;
    return exit_code(outcome);
}

void add_info(
    nlohmann::json& info,
    const Arguments& arguments,
    const Subject& subject,
    const Measured& measured) {
    info["model"] = arguments.model;
    info["mode"] = to_text(arguments.mode);
    info["batch"] = subject.batch();
    info["threads"] = arguments.threads;
    info["library_operators"] = subject.library_operators();
    info["iterations_per_sample"] = measured.iterations_per_sample;
    info["warmup_iterations"] = measured.warmup_iterations;
    info["warmup_steady"] = measured.warmup_steady;
    info["warmup_s"] = measured.warmup_s;
    for (const auto& [name, value] : torch_facts()) info[name] = value;
}

nlohmann::json samples_of(const Measured& measured, const std::optional<ProcessMemory>& before) {
    nlohmann::json samples;
    samples["cpu_time_ns"] = measured.cpu_time_ns;
    samples["wall_time_ns"] = measured.wall_time_ns;
    samples["peak_alloc_bytes"] = {allocation_counts().peak_bytes};
    const auto after = process_memory();
    if (before && after) {
        samples["peak_process_bytes"] = {after->peak_bytes};
        samples["peak_growth_bytes"] = {after->peak_bytes - before->resident_bytes};
    }
    return samples;
}

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

int run(const Arguments& arguments) {
    const std::string unsupported = find_unsupported(arguments);
    if (!unsupported.empty()) return finish(Outcome::unsupported, unsupported, {});
    keep_freed_memory();
    install_counting_allocator();
    set_threads(arguments.threads);
    const auto before = process_memory();
    reset_peak();

    const auto subject = make_subject(arguments);
    const MeasureLimits limits{
        arguments.min_time_s,
        arguments.max_warmup_s,
        arguments.sample_time_s,
        arguments.min_samples,
        arguments.max_samples};
    // Kept until the process has ended: what comes after measuring would disturb the others.
    auto& turns = *make_turns(arguments).release();
    const Measured measured = measure(
        limits,
        [&] { subject->iterate(); },
        [] { return allocation_counts().live_bytes; },
        turns.is_shared() ? [&] { turns.pass(); } : std::function<void()>{});

    nlohmann::json document;
    document["samples"] = samples_of(measured, before);  // before the check adds to the peaks
    auto& info = document["info"];
    add_info(info, arguments, *subject, measured);
    info["exclusive"] = turns.is_held();
    info["in_turns"] = turns.is_shared();
    info["lock_wait_s"] = turns.waited_s();
    info["leak_bytes_per_iteration"] = slope(measured.live_bytes) / measured.iterations_per_sample;

    const std::int64_t before_iteration = allocation_counts().allocations;
    subject->iterate();
    info["allocations_per_iteration"] = allocation_counts().allocations - before_iteration;
    const std::string wrong = subject->find_wrong_answer();
    return finish(wrong.empty() ? Outcome::passed : Outcome::wrong, wrong, document);
}

}  // namespace

}  // namespace vigil_bench

int main(int count, char** values) {
    using namespace vigil_bench;
    try {
        const Arguments arguments = parse_arguments(count, values);
        if (arguments.action == Action::help) {
            std::cout << help_text() << "\nmodels:\n" << model_list(ListFormat::text);
            return 0;
        }
        if (arguments.action == Action::list) {
            std::cout << model_list(arguments.list_format);
            return 0;
        }
        return run(arguments);
    } catch (const UsageError& error) {
        return finish(Outcome::usage, error.what(), {});
    } catch (const std::exception& error) {
        const Outcome outcome = is_out_of_memory(error) ? Outcome::oom : Outcome::failed;
        return finish(outcome, message_of(error), {});
    }
}
