#include "worker/run/samples.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "schema/harness/collector.hpp"
#include "schema/harness/console/recognize.hpp"
#include "schema/harness/units.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "schema/wire/run_fact_json.hpp"
#include "worker/run/case_samples.hpp"
#include "worker/run/facts.hpp"
#include "worker/run/guarded.hpp"

namespace vigil {

template <class Io>
void fields(Io& io, Samples& samples) {
    io(samples.metric,
       samples.values,
       samples.case_name,
       samples.quantity,
       samples.unit,
       samples.direction);
}

template <class Io>
void fields(Io& io, CaseFailure& failure) {
    io(failure.case_name, failure.message);
}

template <class Io>
void fields(Io& io, RunFact& fact) {
    io(fact.name, fact.value, fact.low, fact.high, fact.unit, fact.text);
}

}  // namespace vigil

namespace vigil::worker {

template <class Io>
void fields(Io& io, RunSamples& run) {
    io(run.outcome, run.message, run.samples, run.facts, run.case_failures);
}

namespace {

[[noreturn]] void refuse_output(const std::string& why) {
    throw Error(Errc::invalid_argument, "reading the benchmark's output: " + why);
}

nlohmann::json parse(std::string_view output) {
    text::ReadBudget budget(output.size());
    return wire::parse_json(output, "the benchmark's output", {.budget = &budget});
}

std::vector<double> numbers(const std::vector<wire::Item>& items, double factor) {
    std::vector<double> values;
    for (const auto& item : items) values.push_back(wire::number_of(item) * factor);
    return values;
}

/// The benchmarks of a report, in quotes.
std::string quoted_names(const harness::Report& report) {
    constexpr std::size_t most = 20;
    const auto names = harness::benchmarks_of(report);
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
        list += fmt::format("{}\"{}\"", i > 0 ? ", " : "", text::one_line(names[i], 80));
    }
    return names.size() > most ? list + fmt::format(" and {} more", names.size() - most) : list;
}

/// The benchmark that the config selects, or the only one there is.
std::string chosen_of(const harness::Report& report, const SampleRule& rule) {
    const auto names = harness::benchmarks_of(report);
    if (!rule.select.empty()) {
        if (std::ranges::count(names, rule.select) > 0) return rule.select;
        // By what it was called without what else tells it apart, where that is of one.
        std::set<std::string> called;
        for (const auto& reading : report.readings) {
            if (reading.former == rule.select) called.insert(reading.benchmark);
        }
        return called.size() == 1 ? *called.begin() : rule.select;
    }
    if (names.size() == 1) return names.front();
    refuse_output(fmt::format(
        "it holds {} results ({}); \"select\" of the benchmark's samples must name one",
        names.size(),
        quoted_names(report)));
}

/// What any benchmark program of schema/harness wrote: of one benchmark, its first quantity of each
/// metric. A counter counts only where the benchmark has no time.
RunSamples read_harness(const SampleRule& rule, std::string_view output) {
    auto report = harness::read_output(output);
    if (rule.ignore_exit_code) harness::take_failed(report);
    const auto& readings = report.readings;
    RunSamples result;
    std::set<Metric> taken;
    bool found = false;
    const auto chosen = chosen_of(report, rule);
    for (const auto& reading : readings) {
        if (reading.benchmark != chosen) continue;
        const bool is_counter = reading.metric == Metric::reported_value && found;
        found = true;
        if (reading.failed > 0) {
            refuse_output(fmt::format(
                "{} failed: {}", text::one_line(reading.benchmark, 80), reading.failure));
        }
        if (is_counter || !taken.insert(reading.metric).second) continue;
        auto& samples = result.samples.emplace_back(Samples{reading.metric, reading.samples});
        for (double& value : samples.values) value *= reading.factor;
    }
    if (found) return result;
    refuse_output(fmt::format(
        "it holds no result called \"{}\"; it holds {}",
        text::one_line(rule.select, 80),
        quoted_names(report)));
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
    result.facts = read_facts(reader);
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

/// How many ns, or bytes, one printed number stands for.
double line_factor(const SampleRule& rule) {
    const auto kind = kind_of(rule.printed);
    const auto unit = harness::unit_named(rule.unit);
    if (kind == MetricKind::other || kind == MetricKind::count) return 1;
    if (unit.kind == kind) return unit.factor;
    refuse_output(fmt::format(
        "the unit \"{}\" is none of {}",
        text::one_line(rule.unit, 40),
        kind == MetricKind::time ? "ns, us, ms, s" : "bytes, KiB, MiB, GiB"));
}

RunSamples read_lines(const SampleRule& rule, std::string_view output) {
    const double factor = line_factor(rule);
    Samples samples{rule.printed, {}};
    int number = 0;
    while (!output.empty()) {
        const auto end = std::min(output.find('\n'), output.size());
        const auto line = text::trimmed(output.substr(0, end));
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

template <class Number>
void add_unless_printed(std::vector<Samples>& samples, Metric metric, Number value) {
    const bool printed = std::ranges::any_of(
        samples, [&](const Samples& one) { return one.metric == metric && one.case_name.empty(); });
    if (!printed && value > 0) samples.push_back({metric, {static_cast<double>(value)}});
}

/// What vigil-bench counted itself of one iteration; 0: nothing.
double own_instructions(const std::vector<RunFact>& facts) {
    const auto found = std::find_if(facts.begin(), facts.end(), [](const RunFact& fact) {
        return fact.name == to_string(Metric::instructions);
    });
    return found == facts.end() ? 0 : found->value.value_or(0);
}

/// The program that sizes its own loop, where the process or a harness is the sample.
std::optional<harness::SelfSizing> self_sizing_in(
    const RunReport& report, const BenchmarkPlan& plan) {
    const auto format = plan.samples.format;
    if (format == SampleFormat::lines || format == SampleFormat::vigil) return std::nullopt;
    std::string command;
    for (const auto& word : plan.command) command += word + " ";
    return harness::recognize(
        {command, report.output, report.errors, plan.samples.ignore_exit_code});
}

RunFact fact_of(const harness::SelfSizing& seen) {
    std::string names;
    if (seen.report) names = quoted_names(*seen.report);
    return {
        .name = wire::sizes_itself,
        .text = text::one_line(
            seen.program + (names.empty() ? " (" + seen.problem + ")" : ": " + names))};
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

/// Catch2 and others end with a failure where no case fits their arguments.
std::optional<RunSamples> find_case_missed(const RunReport& report, const BenchmarkPlan& plan) {
    if (!plan.cases || plan.cases->only.empty() || report.end != RunEnd::exited)
        return std::nullopt;
    try {
        auto run = read_cases(plan.samples, *plan.cases, report.output);
        if (run.outcome == Outcome::unsupported) return run;
    } catch (const Error&) {  // it printed something else: the exit code counts
    }
    return std::nullopt;
}

/// A program that callgrind counts takes many times as long and as much: only the count says
/// anything.
RunSamples callgrind_samples(const RunReport& report, const BenchmarkPlan& plan) {
    RunSamples run;
    if (!report.counted) {
        const auto why = std::ranges::find(report.facts, wire::not_counted, &RunFact::name);
        const auto text = why == report.facts.end() ? "nothing was counted" : why->text;
        return {Outcome::failed, "counting by callgrind: " + text, {}, {}};
    }
    run.samples = {{Metric::callgrind_instructions, {static_cast<double>(*report.counted)}}};
    if (const auto seen = self_sizing_in(report, plan)) run.facts.push_back(fact_of(*seen));
    return run;
}

}  // namespace

bool is_counted(const BenchmarkPlan& plan) {
    return plan.counts_instructions && !plan.callgrind &&
           plan.samples.format != SampleFormat::vigil;
}

RunSamples read_printed(const SampleRule& rule, std::string_view output, const CasePlan* cases) {
    if (cases != nullptr) return read_cases(rule, *cases, output);
    RunSamples result;
    switch (rule.format) {
        case SampleFormat::none: return result;
        case SampleFormat::lines: result = read_lines(rule, output); break;
        case SampleFormat::google_benchmark:
        case SampleFormat::hyperfine:
        case SampleFormat::harness: result = read_harness(rule, output); break;
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
    if (reported.outcome != Outcome::passed) {
        if (auto missed = find_case_missed(report, plan)) return *std::move(missed);
        return {reported.outcome, reported.message, {}, {}};
    }
    if (plan.callgrind) return callgrind_samples(report, plan);
    RunSamples run;
    try {
        if (report.truncated && plan.samples.format != SampleFormat::none) {
            refuse_output(fmt::format(
                "it is longer than the {} bytes that are kept", plan.limits.output_bytes));
        }
        run = read_printed(plan.samples, report.output, plan.cases ? &*plan.cases : nullptr);
    } catch (const Error& error) {
        return {Outcome::failed, error.what(), {}, {}};
    }
    if (run.outcome != Outcome::passed || (plan.cases && !plan.cases->only.empty())) return run;
    const auto seen = self_sizing_in(report, plan);
    const bool is_none = plan.samples.format == SampleFormat::none;
    // The time of such a process says nothing. Where nothing else is read, the fact says so.
    if (seen && is_none) run.facts.push_back(fact_of(*seen));
    if (!seen || is_none) {
        // In company, a process's own wall time is mostly other processes' time.
        if (company == Company::none) {
            add_unless_printed(run.samples, Metric::wall_time_ns, report.wall_time_ns);
        }
        add_unless_printed(run.samples, Metric::cpu_time_ns, report.cpu_time_ns);
        add_unless_printed(run.samples, Metric::instructions, report.counted.value_or(0));
    }
    if (plan.counts_instructions && !is_counted(plan)) {
        add_unless_printed(run.samples, Metric::instructions, own_instructions(run.facts));
    }
    add_unless_printed(run.samples, Metric::peak_process_bytes, report.peak_bytes);
    return run;
}

RunSamples guarded_samples_of(const RunReport& report, const BenchmarkPlan& plan, Company company) {
    RunSamples run{Outcome::failed, "", {}, {}};
    try {
        run = guarded(limits_for(report.output.size() + report.errors.size()), [&] {
            return samples_of(report, plan, company);
        });
    } catch (const Error& error) {
        run.message = error.what();
    }
    run.facts = joined_facts(report.facts, std::move(run.facts));
    return run;
}

}  // namespace vigil::worker
