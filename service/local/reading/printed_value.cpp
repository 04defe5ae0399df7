#include "service/local/printed_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/harness/console/recognize.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/json.hpp"
#include "worker/run/guarded.hpp"
#include "worker/run/samples.hpp"

namespace vigil::local {

template <class Io>
void fields(Io& io, ReadAs& as) {
    io(as.program, as.benchmark, as.quantity, as.unit, as.kind, as.direction, as.bench);
}

template <class Io>
void fields(Io& io, SeenReading& seen) {
    io(seen.read_as, seen.exact_form);
}

namespace {

using nlohmann::json;

constexpr const char* too_long = "it is longer than the 4 MiB that are kept";

[[noreturn]] void refuse_printed(const std::string& why) {
    throw Error(Errc::invalid_argument, "reading what the benchmark printed: " + why);
}

std::optional<double> number_in(std::string_view line) {
    double value = 0;
    if (line.starts_with('+')) line.remove_prefix(1);
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (line.empty() || error != std::errc() || end != line.data() + line.size()) return {};
    return value;
}

std::string_view last_line(std::string_view text) {
    const auto at = text.rfind('\n');
    return text::trimmed(at == text.npos ? text : text.substr(at + 1));
}

/// The lines of numbers that a text ends with, last first.
std::vector<double> numbers_at_end(std::string_view text) {
    std::vector<double> values;
    while (!text.empty()) {
        const auto value = number_in(last_line(text));
        if (!value) break;
        values.push_back(*value);
        const auto at = text.rfind('\n');
        text = at == text.npos ? std::string_view{} : text::trimmed(text.substr(0, at));
    }
    return values;
}

/// The JSON object or array that a text ends with, when it begins a line.
std::optional<json> json_at_end(std::string_view text) {
    if (!text.ends_with('}') && !text.ends_with(']')) return std::nullopt;
    text::ReadBudget budget(text.size());
    int tries = 100;  // of lines that only look like it
    for (std::size_t at = 0; at < text.size() && tries > 0;) {
        const char first = text[at];
        if (first == '{' || first == '[') {
            --tries;
            const text::BudgetLoan loan(budget);
            try {
                return wire::parse_json(
                    text.substr(at), "the benchmark's output", {.budget = &budget});
            } catch (const text::BudgetError&) {
                throw;
            } catch (const Error&) {  // a line of text that looks like it: the next may be it
            }
        }
        const auto next = text.find('\n', at);
        if (next == text.npos) break;
        at = next + 1;
    }
    return std::nullopt;
}

std::vector<double> values_in_array(const json& value) {
    std::vector<double> values;
    for (const auto& item : value) {
        if (!item.is_number()) refuse_printed("its JSON array holds more than numbers");
        values.push_back(item.get<double>());
    }
    return values;
}

/// vigil-bench's JSON: its metrics are quantities of one benchmark.
std::optional<harness::SelfSizing> vigil_bench_in(std::string_view output) {
    const auto value = json_at_end(text::trimmed(output));
    if (!value || !value->is_object() || !value->contains("vigil_bench")) return std::nullopt;
    const std::string name = "vigil-bench";
    harness::SelfSizing seen{name, {}, {}, {}};
    try {
        SampleRule rule;
        rule.format = SampleFormat::vigil;
        const auto printed = worker::read_printed(rule, wire::write_json(*value));
        if (printed.outcome != Outcome::passed) {
            seen.problem = printed.message;
            return seen;
        }
        seen.report.emplace();
        for (const auto& samples : printed.samples) {
            harness::Reading reading;
            reading.benchmark = name;
            reading.quantity = to_string(samples.metric);
            reading.metric = samples.metric;
            reading.unit = vigil::unit_of(samples.metric);
            reading.samples = samples.values;
            seen.report->readings.push_back(std::move(reading));
        }
        std::ranges::stable_partition(seen.report->readings, [](const harness::Reading& one) {
            return one.metric == Metric::wall_time_ns;  // it stands for the rest
        });
    } catch (const Error& error) {
        seen.problem = error.what();
    }
    return seen;
}

/// Whose numbers a run printed, where they are of a harness.
std::optional<harness::SelfSizing> seen_in(const worker::RunReport& report, const Order& order) {
    const bool printed = order.measure == Measure::samples || order.measure == Measure::quantity;
    const auto text = text::trimmed(report.output);
    if (order.measure == Measure::samples && !numbers_at_end(text).empty()) return std::nullopt;
    if (auto own = vigil_bench_in(text)) return own;
    auto seen =
        harness::recognize({bench_line(order), report.output, report.errors, order.ignore_failure});
    if (seen || !printed) return seen;
    try {
        auto said = harness::read_output(report.output);
        const std::string name(harness::name_of(said.harness));
        return harness::SelfSizing{name, std::move(said), {}, {}};
    } catch (const Error&) {  // numbers of its own, or nothing
        return std::nullopt;
    }
}

std::string quoted_list(const std::vector<std::string>& names) {
    constexpr std::size_t most = 100;
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
        list += fmt::format("{}\"{}\"", i > 0 ? ", " : "", text::one_line(names[i], 200));
    }
    if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
    return list;
}

[[noreturn]] void refuse_choice(const std::string& why) {
    throw Error(Errc::invalid_argument, why);
}

/// @throws Error{invalid_argument} that names all there are
std::string chosen_benchmark(const harness::SelfSizing& seen, const std::string& select) {
    const auto names = harness::benchmarks_of(*seen.report);
    if (select.empty() && names.size() == 1) return names.front();
    if (std::ranges::count(names, select) > 0) return select;
    if (!select.empty()) {
        refuse_choice(fmt::format(
            "--select: {} printed no benchmark called \"{}\"; it printed {}",
            seen.program,
            text::one_line(select, 200),
            quoted_list(names)));
    }
    refuse_choice(fmt::format(
        "{} printed {} benchmarks: {}; choose one with --select NAME",
        seen.program,
        names.size(),
        quoted_list(names)));
}

/// "cpu_time", "CPU-time" and "CPU time" are one quantity.
std::string plain_name(std::string_view name) {
    std::string plain = text::lower_case(name);
    std::ranges::replace_if(
        plain, [](char c) { return c == '_' || c == '-'; }, ' ');
    return plain;
}

bool is_wanted(const harness::Reading& reading, const Order& order) {
    switch (order.measure) {
        case Measure::time: return reading.metric == Metric::wall_time_ns;
        case Measure::cpu: return reading.metric == Metric::cpu_time_ns;
        case Measure::memory: return kind_of(reading.metric) == MetricKind::memory;
        case Measure::samples: return true;
        case Measure::quantity: break;
    }
    const auto wanted = plain_name(order.quantity);
    return wanted == plain_name(reading.quantity) || order.quantity == reading.unit;
}

/// @throws Error{invalid_argument} that names all quantities there are
const harness::Reading& chosen_reading(
    const harness::SelfSizing& seen, const std::string& benchmark, const Order& order) {
    const harness::Reading* first = nullptr;
    std::vector<std::string> names;
    for (const auto& reading : seen.report->readings) {
        if (reading.benchmark != benchmark) continue;
        if (is_wanted(reading, order)) return reading;
        if (first == nullptr) first = &reading;
        names.push_back(reading.quantity.empty() ? "time" : reading.quantity);
    }
    // Of a benchmark that is measured in operations a second, that is its time turned round.
    if (order.measure == Measure::time) return *first;
    const bool cpu = order.measure == Measure::cpu;
    refuse_choice(fmt::format(
        "--metric {}: {} prints no {} of {}, and the time of its process says nothing, since it "
        "sizes its own loop; choose one of its quantities: {}",
        cpu ? "cpu" : text::one_line(order.quantity, 80),
        seen.program,
        cpu ? "CPU time" : "such quantity",
        text::one_line(benchmark, 120),
        quoted_list(names)));
}

std::string unit_shown(const harness::Reading& reading) {
    if (kind_of(reading.metric) == MetricKind::other) return reading.unit;
    return std::string(vigil::unit_of(reading.metric));
}

void check_values(const std::vector<double>& values, bool may_be_zero) {
    for (const double value : values) {
        if (std::isfinite(value) && (value > 0 || (value == 0 && may_be_zero))) continue;
        refuse_printed(fmt::format(
            "a value is {}; all must be {} 0", value, may_be_zero ? "at least" : "above"));
    }
}

/// The median of what the harness says, as the order reads it.
double harness_value(const worker::RunReport& report, const Order& order) {
    const ReadAs& as = *order.read_as;
    const auto seen = seen_in(report, order);
    if (!seen || !seen->report) {
        refuse_printed(fmt::format(
            "it holds no result of {}{}{}",
            as.program,
            seen ? ": " : "",
            seen ? seen->problem : ""));
    }
    const auto& readings = seen->report->readings;
    const auto found = std::ranges::find_if(readings, [&](const harness::Reading& one) {
        return one.benchmark == as.benchmark && one.quantity == as.quantity;
    });
    if (found == readings.end()) {
        refuse_printed(fmt::format(
            "it holds no {} of \"{}\"; it holds {}",
            as.quantity.empty() ? "time" : text::one_line(as.quantity, 80),
            text::one_line(as.benchmark, 120),
            quoted_list(harness::benchmarks_of(*seen->report))));
    }
    if (found->failed > 0 || found->samples.empty()) {
        refuse_printed(text::one_line(found->benchmark, 120) + " failed: " + found->failure);
    }
    if (unit_shown(*found) != as.unit) {
        refuse_printed(fmt::format("it is in \"{}\", and was in \"{}\"", found->unit, as.unit));
    }
    std::vector<double> values = found->samples;
    for (double& value : values) value *= found->factor;
    check_values(values, may_be_zero(kind_of(order), order.direction));
    return stats::median(values);
}

std::string quoted_end(std::string_view text) {
    const std::string line = text::one_line(last_line(text), 80);
    return fmt::format("it ends with \"{}\"", line);
}

/// By the rules of the order, else as the harness tells it, else as it was asked for.
Direction direction_of(const harness::Reading& reading, const Order& order) {
    const auto variant = harness::variant_of(reading);
    const auto* rule =
        find_rule(order.rules, {"", reading.benchmark, variant, to_string(reading.metric), ""});
    const auto settled = settle(reading.direction, rule);
    if (settled.direction) return *settled.direction;
    if (order.direction == Direction::higher_is_better) return order.direction;
    refuse_choice(fmt::format(
        "nothing says which way \"{}\" is better; give --higher-is-better, or --rules FILE with "
        "[{}]",
        text::one_line(reading.quantity, 80),
        rule_line(reading.benchmark, variant)));
}

worker::GuardLimits limits_of(const worker::RunReport& report) {
    return worker::limits_for(report.output.size() + report.errors.size());
}

}  // namespace

double printed_value(std::string_view output, bool may_be_zero) {
    const std::string_view text = text::trimmed(output);
    if (text.empty()) refuse_printed("it printed nothing; --metric samples needs a number");
    std::vector<double> values = numbers_at_end(text);
    if (values.empty()) {
        const auto value = json_at_end(text);
        if (!value) refuse_printed(quoted_end(text) + ", which is no number");
        if (!value->is_array()) {
            refuse_printed(
                "its JSON is of none of the known kinds (an array of numbers, the file of a "
                "benchmark harness, vigil-bench)");
        }
        values = values_in_array(*value);
        if (values.empty()) refuse_printed("its JSON holds no number");
    }
    check_values(values, may_be_zero);
    return stats::median(values);
}

std::string why_no_total(const harness::SelfSizing& seen) {
    return fmt::format(
        "{} sizes its own loop: a slower program repeats less, so that the time of the whole "
        "process says nothing and is not judged; its numbers cannot be read: {}. Let it print its "
        "table or its JSON on standard output; --metric memory judges the process all the same",
        seen.program,
        text::one_line(seen.problem, 300));
}

std::optional<SeenReading> find_read_as(const worker::RunReport& report, const Order& order) {
    if (order.measure == Measure::memory) return std::nullopt;
    const auto seen = seen_in(report, order);
    if (!seen && order.measure == Measure::quantity) {
        refuse_choice(fmt::format(
            "--metric must be one of time, cpu, memory, samples, or a quantity that a benchmark "
            "harness prints; what the benchmark printed holds no \"{}\"",
            text::one_line(order.quantity, 80)));
    }
    if (!seen) return std::nullopt;
    if (report.truncated) refuse_printed(too_long);
    if (!seen->report) throw Error(Errc::conflict, why_no_total(*seen));
    const auto benchmark = chosen_benchmark(*seen, order.select);
    const auto& reading = chosen_reading(*seen, benchmark, order);
    return SeenReading{
        {seen->program,
         benchmark,
         reading.quantity,
         unit_shown(reading),
         kind_of(reading.metric),
         direction_of(reading, order),
         bench_line(order)},
        seen->exact_form};
}

double value_of(const worker::RunReport& report, const Order& order) {
    const auto above_zero = [](std::int64_t value, const char* what) {
        if (value <= 0) refuse_printed(fmt::format("the system tells no {} of the run", what));
        return static_cast<double>(value);
    };
    if (order.measure == Measure::memory) return above_zero(report.peak_bytes, "peak memory");
    const bool total = order.measure == Measure::time || order.measure == Measure::cpu;
    if (report.truncated && (order.read_as || !total)) refuse_printed(too_long);
    if (order.read_as) return harness_value(report, order);
    if (!total) return printed_value(report.output, may_be_zero(kind_of(order), order.direction));
    if (const auto seen = seen_in(report, order)) {
        throw Error(Errc::invalid_argument, why_no_total(*seen));
    }
    return order.measure == Measure::cpu ? above_zero(report.cpu_time_ns, "CPU time")
                                         : above_zero(report.wall_time_ns, "wall time");
}

std::optional<SeenReading> guarded_read_as(const worker::RunReport& report, const Order& order) {
    return worker::guarded(limits_of(report), [&] { return find_read_as(report, order); });
}

double guarded_value_of(const worker::RunReport& report, const Order& order) {
    if (order.measure == Measure::memory) return value_of(report, order);  // it prints nothing
    return worker::guarded(limits_of(report), [&] { return value_of(report, order); });
}

}  // namespace vigil::local
