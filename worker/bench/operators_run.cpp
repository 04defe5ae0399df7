#include "worker/bench/operators_run.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <sstream>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "worker/bench/device/device.hpp"
#include "worker/bench/measure/measure.hpp"
#include "worker/bench/measure/process_memory.hpp"
#include "worker/bench/models/model_list.hpp"
#include "worker/bench/models/subject.hpp"
#include "worker/bench/operators/operator_calls.hpp"
#include "worker/bench/operators/operators_night.hpp"
#include "worker/bench/prepare.hpp"

namespace vigil_bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr MeasureLimits of_one{0.05, 0.02, 0.002, 10, 100};
constexpr double usual_s = 0.25;  ///< that one takes, with what makes its inputs

std::vector<std::string> models_of(const std::string& list) {
    std::vector<std::string> names;
    std::istringstream parts(list == "all" ? model_list(ListFormat::text) : list);
    const char separator = list == "all" ? '\n' : ',';
    for (std::string part; std::getline(parts, part, separator);) {
        names.push_back(part.substr(0, part.find(' ')));
    }
    return names;
}

/// Progress, where somebody looks.
void say(const std::string& words) {
    if (isatty(STDERR_FILENO) != 0) std::cerr << "\r\033[K" << words << std::flush;
}

/// The highest that the process's memory came to since forget(); 0: the kernel does not say.
std::int64_t peak_bytes() {
    const auto memory = process_memory();
    return memory ? memory->peak_bytes : 0;
}

/// malloc keeps what is freed (prepare_process), so what one model or operator took would stay, and
/// the holes between the sizes of thousands would add up.
void forget() {
    reset_process_peak();
}

struct Collected {
    std::map<std::string, std::shared_ptr<OperatorCall>> calls;
    std::int64_t peak_bytes = 0;  ///< of the largest model
};

void collect_model(const Arguments& arguments, Collected& all) {
    const auto subject = make_subject(arguments);
    for (auto& call : calls_of([&] { subject->iterate(); })) all.calls.emplace(call->name(), call);
}

Collected collect(const Arguments& arguments) {
    Collected all;
    for (const auto& name : models_of(arguments.model)) {
        say("looking at " + name);
        Arguments one = arguments;
        one.model = name;
        follow_paper_name(one);
        if (!find_unsupported(one).empty()) continue;
        one.batch = one.batch == 0 ? batch_of(one) : one.batch;
        forget();
        collect_model(one, all);
        all.peak_bytes = std::max(all.peak_bytes, peak_bytes());
    }
    forget();
    return all;
}

MeasuredCall measure_call(const OperatorCall& call, Device& device) {
    MeasuredCall result;
    result.name = call.name();
    try {
        const auto measured = measure(
            of_one, call.prepare(), [] { return LiveBytes{}; }, device);
        result.cpu_time_ns = measured.cpu_time_ns;
        result.wall_time_ns = measured.wall_time_ns;
    } catch (const std::exception& error) {
        result.failure = message_of(error);
    }
    return result;
}

std::int64_t day_of_calendar() {
    return std::chrono::duration_cast<std::chrono::hours>(
               std::chrono::system_clock::now().time_since_epoch())
               .count() /
           24;
}

}  // namespace

int run_operators(const Arguments& arguments) {
    prepare_process(arguments.threads);
    const auto collected = collect(arguments);
    const auto& known = collected.calls;
    const auto device = make_device(arguments);
    const auto each =
        std::max<std::size_t>(1, static_cast<std::size_t>(arguments.operators_s / usual_s));
    const auto order = operators_of_night(known.size(), day_of_calendar(), each);
    const auto begun = Clock::now();
    const auto spent_s = [&] {
        return std::chrono::duration<double>(Clock::now() - begun).count();
    };
    std::vector<MeasuredCall> results;
    std::int64_t largest_bytes = 0;
    for (const auto i : order) {
        if (spent_s() >= arguments.operators_s) break;
        const auto& [name, call] = *std::next(known.begin(), static_cast<std::ptrdiff_t>(i));
        say(std::to_string(results.size() + 1) + " of " + std::to_string(order.size()) + ": " +
            name.substr(0, 60));
        forget();
        results.push_back(measure_call(*call, *device));
        largest_bytes = std::max(largest_bytes, peak_bytes());
    }
    say("");
    nlohmann::json context{
        {"executable", "vigil-bench"},
        {"operators", known.size()},
        {"of_night", order.size()},
        {"measured", results.size()},
        {"seconds", spent_s()},
        {"peak_bytes_of_models", collected.peak_bytes},
        {"peak_bytes_of_operators", largest_bytes}};
    for (const auto& [name, value] : torch_facts()) context[name] = value;
    std::cout << google_benchmarks(results, std::move(context)).dump() << "\n";
    const bool some = std::any_of(results.begin(), results.end(), [](const MeasuredCall& one) {
        return one.failure.empty();
    });
    return some ? 0 : 1;
}

}  // namespace vigil_bench
