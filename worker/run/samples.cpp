#include "worker/run/samples.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::worker {

namespace {

[[noreturn]] void refuse_output(const std::string& why) {
    throw Error(Errc::invalid_argument, "reading the benchmark's output: " + why);
}

struct Unit {
    std::string_view name;
    MetricKind kind;
    double factor;  ///< to ns, to bytes
};

constexpr Unit units[] = {
    {"ns", MetricKind::time, 1},
    {"us", MetricKind::time, 1e3},
    {"ms", MetricKind::time, 1e6},
    {"s", MetricKind::time, 1e9},
    {"bytes", MetricKind::memory, 1},
    {"KiB", MetricKind::memory, 1024},
    {"MiB", MetricKind::memory, 1024.0 * 1024},
    {"GiB", MetricKind::memory, 1024.0 * 1024 * 1024}};

nlohmann::json parse(std::string_view output) {
    return wire::parse_json(output, "the benchmark's output");
}

std::vector<double> numbers(const std::vector<wire::Item>& items, double factor) {
    std::vector<double> values;
    for (const auto& item : items) values.push_back(wire::number_of(item) * factor);
    return values;
}

/// The name of an entry, and refuses a second one when none is selected.
class Selection {
  public:
    explicit Selection(std::string wanted) : wanted_(std::move(wanted)) {}

    /// @param names  what the entry may be called
    bool takes(std::initializer_list<std::string> names) {
        if (!wanted_.empty()) {
            const bool taken = std::find(names.begin(), names.end(), wanted_) != names.end();
            found_ = found_ || taken;
            return taken;
        }
        const auto& name = *names.begin();
        if (found_ && name != first_) {
            refuse_output(fmt::format(
                "it holds several results (\"{}\", \"{}\"); the config's \"select\" must name one",
                text::one_line(first_, 80),
                text::one_line(name, 80)));
        }
        first_ = name;
        found_ = true;
        return true;
    }

    void check() const {
        if (found_) return;
        refuse_output(
            wanted_.empty()
                ? std::string("it holds no results")
                : fmt::format("it holds no result called \"{}\"", text::one_line(wanted_, 80)));
    }

  private:
    std::string wanted_;
    std::string first_;
    bool found_ = false;
};

/// Google Benchmark's JSON: every iteration entry of one benchmark is a sample of wall and of CPU
/// time; aggregates are passed over.
RunSamples read_google_benchmark(const SampleRule& rule, std::string_view output) {
    const auto json = parse(output);
    Samples wall{Metric::wall_time_ns, {}};
    Samples cpu{Metric::cpu_time_ns, {}};
    Selection selection(rule.select);
    for (const auto& item : wire::ObjectReader(json, "output").items("benchmarks")) {
        wire::ObjectReader entry(item);
        if (entry.text_or("run_type", "iteration") != "iteration") continue;
        const auto name = entry.text("name");
        if (!selection.takes({entry.text_or("run_name", name), name})) continue;
        if (entry.flag_or("error_occurred", false)) {
            refuse_output(fmt::format(
                "{} failed: {}",
                text::one_line(name, 80),
                text::one_line(entry.text_or("error_message", "no message"))));
        }
        const double factor = unit_factor(MetricKind::time, entry.text_or("time_unit", "ns"));
        wall.values.push_back(entry.number("real_time") * factor);
        cpu.values.push_back(entry.number("cpu_time") * factor);
    }
    selection.check();
    RunSamples result;
    result.samples = {std::move(wall), std::move(cpu)};
    return result;
}

/// hyperfine's export: one sample of wall time per run; CPU time is the mean it gives.
RunSamples read_hyperfine(const SampleRule& rule, std::string_view output) {
    constexpr double second_ns = 1e9;
    const auto json = parse(output);
    RunSamples result;
    Selection selection(rule.select);
    for (const auto& item : wire::ObjectReader(json, "output").items("results")) {
        wire::ObjectReader entry(item);
        const auto command = entry.text("command");
        if (!selection.takes({command})) continue;
        if (!result.samples.empty()) refuse_output("it holds the selected command twice");
        for (const auto& code : entry.items_or_none("exit_codes")) {
            if (wire::integer_of(code) != 0) refuse_output("the measured command failed");
        }
        result.samples.push_back({Metric::wall_time_ns, numbers(entry.items("times"), second_ns)});
        const double cpu = (entry.number_or("user", 0) + entry.number_or("system", 0)) * second_ns;
        if (cpu > 0) result.samples.push_back({Metric::cpu_time_ns, {cpu}});
        auto peaks = numbers(entry.items_or_none("memory_usage_byte"), 1);
        if (!peaks.empty()) {
            result.samples.push_back({Metric::peak_process_bytes, std::move(peaks)});
        }
    }
    selection.check();
    return result;
}

/// vigil-bench's JSON: samples by metric in the metric's unit, an outcome, and a message when it
/// did not pass; further keys are free.
RunSamples read_vigil(std::string_view output) {
    const auto json = parse(output);
    wire::ObjectReader reader(json, "output");
    if (reader.integer("vigil_bench") != 1) {
        refuse_output("it is not version 1 of vigil-bench's format");
    }
    RunSamples result;
    result.outcome = reader.choice<Outcome>("outcome");
    result.message = text::one_line(reader.text_or("message", ""));
    if (result.outcome != Outcome::passed) {
        if (result.message.empty()) result.message = "it gives no reason";
        return result;
    }
    for (const auto& [name, item] : reader.members("samples", wire::max_metrics)) {
        result.samples.push_back(
            {parse_enum<Metric>(name), numbers(wire::items_of(item, wire::max_samples), 1)});
    }
    return result;
}

double line_factor(const SampleRule& rule) {
    const auto kind = kind_of(rule.printed);
    return kind == MetricKind::other ? 1 : unit_factor(kind, rule.unit);
}

std::string_view trimmed(std::string_view text) {
    const auto start = text.find_first_not_of(" \t\r");
    if (start == text.npos) return {};
    return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

RunSamples read_lines(const SampleRule& rule, std::string_view output) {
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
    RunSamples result;
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
std::optional<RunSamples> find_told_failure(const RunReport& report, const BenchmarkPlan& plan) {
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

double unit_factor(MetricKind kind, std::string_view name) {
    std::string choices;
    for (const auto& unit : units) {
        if (unit.kind != kind) continue;
        if (unit.name == name) return unit.factor;
        choices += (choices.empty() ? "" : ", ") + std::string(unit.name);
    }
    refuse_output(fmt::format("the unit \"{}\" is none of {}", text::one_line(name, 40), choices));
}

RunSamples read_printed(const SampleRule& rule, std::string_view output) {
    RunSamples result;
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
    if (auto told = find_told_failure(report, plan)) return *std::move(told);
    const auto reported = outcome_of(report, plan);
    if (reported.outcome != Outcome::passed) return {reported.outcome, reported.message, {}};
    RunSamples run;
    try {
        if (report.truncated && plan.samples.format != SampleFormat::none) {
            refuse_output(fmt::format(
                "it is longer than the {} bytes that are kept", plan.limits.output_bytes));
        }
        run = read_printed(plan.samples, report.output);
    } catch (const Error& error) {
        return {Outcome::failed, error.what(), {}};
    }
    if (run.outcome != Outcome::passed) return run;
    // In company, a process's own wall time is mostly other processes' time.
    if (company == Company::none) {
        add_unless_printed(run.samples, Metric::wall_time_ns, report.wall_time_ns);
    }
    add_unless_printed(run.samples, Metric::cpu_time_ns, report.cpu_time_ns);
    add_unless_printed(run.samples, Metric::peak_process_bytes, report.peak_bytes);
    return run;
}

}  // namespace vigil::worker
