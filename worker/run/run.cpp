#include "worker/run/run.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "schema/model/launch.hpp"
#include "schema/text/lines.hpp"

namespace vigil::worker {

namespace {

std::string last_line(const std::string& text) {
    auto end = text.find_last_not_of(" \t\r\n");
    if (end == text.npos) return "";
    const auto start = text.find_last_of('\n', end);
    return text.substr(start + 1, end - start);  // start is npos on the first line: from 0
}

std::string with_last_line(const std::string& message, const RunReport& report) {
    const auto said =
        text::one_line(last_line(report.errors.empty() ? report.output : report.errors));
    return said.empty() ? message : message + ": " + said;
}

}  // namespace

ReportedOutcome outcome_of(const RunReport& report, const BenchmarkPlan& plan) {
    switch (report.end) {
        case RunEnd::timed_out: return {Outcome::timeout, report.message};
        case RunEnd::out_of_memory: return {Outcome::oom, report.message};
        case RunEnd::exited: break;
        case RunEnd::signalled: return {Outcome::failed, with_last_line(report.message, report)};
        case RunEnd::not_started:
        case RunEnd::stopped: return {Outcome::failed, report.message};
    }
    if (report.exit_code == 0 || plan.samples.ignore_exit_code) return {Outcome::passed, ""};
    if (report.exit_code == plan.wrong_exit_code) {
        return {Outcome::wrong, with_last_line("it says that its answer is wrong", report)};
    }
    if (report.exit_code == plan.unsupported_exit_code) {
        return {Outcome::unsupported, with_last_line("it says: not on this machine", report)};
    }
    return {Outcome::failed, with_last_line(fmt::format("exit code {}", report.exit_code), report)};
}

std::string log_text(const RunRequest& request, const RunReport& report) {
    std::string log = "$";
    for (const auto& argument : request.command) log += " " + text::one_line(argument, 2000);
    log += "\n";
    for (const auto& [name, value] : request.environment) {
        log += fmt::format("environment {}={}\n", name, text::one_line(value));
    }
    if (!request.processors.empty()) log += "cores " + cores_text(request.processors) + "\n";
    if (request.numa_memory) log += fmt::format("memory of node {}\n", *request.numa_memory);
    if (request.callgrind) log += "counted by valgrind --tool=callgrind\n";
    const auto& limits = request.limits;
    log += fmt::format(
        "limits: {} s, {} bytes of memory, {} processes, {} bytes of output, files of {} bytes\n",
        limits.wall_time_s,
        limits.memory_bytes,
        limits.processes,
        limits.output_bytes,
        limits.disk_bytes);
    const bool merged = request.streams == Streams::merged;
    log += fmt::format(
        "--- {} ({} bytes)\n", merged ? "output" : "standard output", report.output_bytes);
    log += report.output;
    if (!log.ends_with('\n')) log += '\n';
    if (!merged) {
        log += fmt::format("--- standard error ({} bytes)\n", report.errors_bytes) + report.errors;
        if (!log.ends_with('\n')) log += '\n';
    }
    log += "--- " + (report.end == RunEnd::exited ? fmt::format("exit code {}", report.exit_code)
                                                  : report.message);
    log += fmt::format(
        "; wall {:.6f} s, cpu {:.6f} s, peak {} bytes\n",
        static_cast<double>(report.wall_time_ns) * 1e-9,
        static_cast<double>(report.cpu_time_ns) * 1e-9,
        report.peak_bytes);
    if (report.left_behind > 0) {
        log += fmt::format("{} processes outlived it and were killed\n", report.left_behind);
    }
    return log;
}

}  // namespace vigil::worker
