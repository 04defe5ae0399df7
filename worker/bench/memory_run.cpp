#include "worker/bench/memory_run.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "worker/bench/child.hpp"
#include "worker/bench/last_words.hpp"
#include "worker/bench/models/subject.hpp"
#include "worker/bench/operators/memory_trace.hpp"
#include "worker/bench/prepare.hpp"

namespace vigil_bench {

namespace {

using nlohmann::json;

constexpr int least_traced = 3;  // the growth of a model shows after the second
constexpr int most_traced = 20;

std::string traced_memory(const Arguments& arguments) {
    prepare_process(arguments.threads);
    const auto subject = make_subject(arguments);
    const int iterations = std::clamp(arguments.profile_iterations, least_traced, most_traced);
    const auto profile = trace_memory(iterations, [&] { subject->iterate(); });
    if (isatty(STDERR_FILENO) != 0) std::cerr << memory_table(profile);
    return memory_json(profile).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

json profile_memory(const Arguments& arguments) {
    if (arguments.device.rfind("cpu", 0) != 0) return nullptr;
    begin_stage("tracing its memory");
    try {
        const auto work = [&] { return traced_memory(arguments); };
        const auto end = run_in_children(arguments, {work}).front();
        if (!end.failure.empty()) return {{"absent", end.failure}};
        return json::parse(end.text);
    } catch (const std::exception& error) {
        return {{"absent", message_of(error)}};
    }
}

}  // namespace vigil_bench
