#include "worker/run/samples.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/job_json.hpp"
#include "worker/run/sample_formats.hpp"

namespace vigil::worker {

namespace {

double line_factor(const SampleRule& rule) {
    const auto kind = kind_of(rule.printed);
    return kind == MetricKind::other ? 1 : unit_factor(kind, rule.unit);
}

std::string_view trimmed(std::string_view text) {
    const auto start = text.find_first_not_of(" \t\r");
    if (start == text.npos) return {};
    return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

PrintedResult read_lines(const SampleRule& rule, std::string_view output) {
    const double factor = line_factor(rule);
    Samples samples{rule.printed, {}};
    int number = 0;
    while (!output.empty()) {
        const auto end = std::min(output.find('\n'), output.size());
        const auto line = trimmed(output.substr(0, end));
        output.remove_prefix(std::min(end + 1, output.size()));
        ++number;
        if (line.empty()) continue;
        double value = 0;
        const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
        if (error != std::errc() || stop != line.data() + line.size()) {
            refuse_output(
                fmt::format("line {} is no number: \"{}\"", number, text::one_line(line, 80)));
        }
        samples.values.push_back(value * factor);
        if (samples.values.size() > wire::max_samples) break;  // refused below
    }
    PrintedResult result;
    result.samples.push_back(std::move(samples));
    return result;
}

void check_values(const Samples& samples) {
    const auto metric = to_string(samples.metric);
    if (samples.values.empty()) refuse_output(fmt::format("it holds no value of {}", metric));
    if (samples.values.size() > wire::max_samples) {
        refuse_output(fmt::format("it holds more than {} values of {}", wire::max_samples, metric));
    }
    for (const double value : samples.values) {
        if (!std::isfinite(value))
            refuse_output(fmt::format("a value of {} is not finite", metric));
        if (value <= 0) {
            refuse_output(fmt::format("a value of {} is {}; all must be positive", metric, value));
        }
    }
}

bool is_nothing(const Samples& samples) {
    return kind_of(samples.metric) == MetricKind::memory && !samples.values.empty() &&
           std::all_of(samples.values.begin(), samples.values.end(), [](double value) {
               return value == 0;
           });
}

void add_unless_printed(std::vector<Samples>& samples, Metric metric, std::int64_t value) {
    const bool printed = std::any_of(
        samples.begin(), samples.end(), [&](const Samples& one) { return one.metric == metric; });
    if (!printed && value > 0) samples.push_back({metric, {static_cast<double>(value)}});
}

/// A benchmark that ended with a failure may still have said in JSON which one.
std::optional<PrintedResult> find_told_failure(const RunReport& report, const BenchmarkPlan& plan) {
    if (plan.samples.format != SampleFormat::vigil || report.truncated) return std::nullopt;
    if (report.end != RunEnd::exited || report.exit_code == 0) return std::nullopt;
    try {
        auto told = read_printed(plan.samples, report.output);
        if (told.outcome != Outcome::passed) return told;
    } catch (const Error&) {  // it failed, and said nothing that can be read: the exit code counts
    }
    return std::nullopt;
}

}  // namespace

PrintedResult read_printed(const SampleRule& rule, std::string_view output) {
    PrintedResult result;
    switch (rule.format) {
        case SampleFormat::none: return result;
        case SampleFormat::lines: result = read_lines(rule, output); break;
        case SampleFormat::google_benchmark: result = read_google_benchmark(rule, output); break;
        case SampleFormat::hyperfine: result = read_hyperfine(rule, output); break;
        case SampleFormat::vigil: result = read_vigil(output); break;
    }
    if (result.outcome != Outcome::passed) {
        result.samples.clear();
        return result;
    }
    std::erase_if(result.samples, is_nothing);
    if (result.samples.empty()) refuse_output("it holds no samples");
    for (const auto& samples : result.samples) check_values(samples);
    return result;
}

RunSamples samples_of(const RunReport& report, const BenchmarkPlan& plan, Company company) {
    const auto reported = outcome_of(report, plan);
    RunSamples run{reported.outcome, reported.message, {}};
    if (const auto told = find_told_failure(report, plan)) {
        return {told->outcome, told->message, {}};
    }
    if (run.outcome != Outcome::passed) return run;
    try {
        if (report.truncated && plan.samples.format != SampleFormat::none) {
            refuse_output(fmt::format(
                "it is longer than the {} bytes that are kept", plan.limits.output_bytes));
        }
        auto printed = read_printed(plan.samples, report.output);
        if (printed.outcome != Outcome::passed) return {printed.outcome, printed.message, {}};
        run.samples = std::move(printed.samples);
    } catch (const Error& error) {
        return {Outcome::failed, error.what(), {}};
    }
    // In company, a process's own wall time is mostly other processes' time.
    if (company == Company::none) {
        add_unless_printed(run.samples, Metric::wall_time_ns, report.wall_time_ns);
    }
    add_unless_printed(run.samples, Metric::cpu_time_ns, report.cpu_time_ns);
    add_unless_printed(run.samples, Metric::peak_process_bytes, report.peak_bytes);
    return run;
}

}  // namespace vigil::worker
