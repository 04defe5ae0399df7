#include "worker/lease/launches.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "worker/run/event_counter.hpp"
#include "worker/run/samples.hpp"

namespace vigil::worker {

namespace {

constexpr const char* preload = "LD_PRELOAD";

std::string name_of(const BenchmarkPlan& plan) {
    return text::one_line(plan.benchmark + " " + plan.variant);
}

}  // namespace

std::vector<AppliedLaunch> apply_launches(const JobPlan& plan) {
    const auto own = own_processors();
    std::vector<AppliedLaunch> launches;
    for (const auto& benchmark : plan.benchmarks) {
        try {
            launches.push_back(apply_launch(benchmark.launch.value_or(Launch{}), own));
        } catch (const Error& error) {
            throw Error(
                error.code(),
                fmt::format("the launch of {}: {}", name_of(benchmark), error.what()));
        }
    }
    return launches;
}

void note_launches(
    const JobPlan& plan,
    const std::vector<AppliedLaunch>& launches,
    std::map<std::string, std::string>& facts) {
    const bool alike =
        std::adjacent_find(launches.begin(), launches.end(), std::not_equal_to<>()) ==
        launches.end();
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const auto words = words_of(launches[i]);
        if (words.empty()) continue;
        facts[alike ? "launch" : "launch " + name_of(plan.benchmarks[i])] = words;
    }
}

void start_by(const AppliedLaunch& launch, const BenchmarkPlan& plan, RunRequest& request) {
    request.processors = launch.processors;
    request.numa_memory = launch.numa_memory;
    if (is_counted(plan)) request.counter = instructions_counter;
    request.callgrind = plan.callgrind;
    auto& variables = request.environment;
    for (const auto& [name, value] : launch.variables) variables[name] = value;
    for (const auto& [name, value] : plan.environment) variables[name] = value;
    const auto ours = launch.variables.find(preload);
    const auto theirs = plan.environment.find(preload);
    if (ours != launch.variables.end() && theirs != plan.environment.end()) {
        variables[preload] = ours->second + ":" + theirs->second;
    }
}

}  // namespace vigil::worker
