#include "service/local/reading/harness_output.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/json.hpp"
#include "worker/run/samples.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;

std::optional<double> number_in(std::string_view line) {
    double value = 0;
    if (line.starts_with('+')) line.remove_prefix(1);
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (line.empty() || error != std::errc() || end != line.data() + line.size()) return {};
    return value;
}

/// "cpu_time", "CPU-time" and "CPU time" are one quantity.
std::string plain_name(std::string_view name) {
    std::string plain = text::lower_case(name);
    std::ranges::replace_if(
        plain, [](char c) { return c == '_' || c == '-'; }, ' ');
    return plain;
}

}  // namespace

std::string_view last_line(std::string_view text) {
    const auto at = text.rfind('\n');
    return text::trimmed(at == text.npos ? text : text.substr(at + 1));
}

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

namespace {

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
        auto& readings = seen.report->readings;
        std::stable_partition(readings.begin(), readings.end(), [](const harness::Reading& one) {
            return one.metric == Metric::wall_time_ns;  // it stands for the rest
        });
    } catch (const Error& error) {
        seen.problem = error.what();
    }
    return seen;
}

}  // namespace

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

std::string unit_shown(const harness::Reading& reading) {
    if (kind_of(reading.metric) == MetricKind::other) return reading.unit;
    return std::string(vigil::unit_of(reading.metric));
}

Direction direction_of(const harness::Reading& reading, const Order& order) {
    const auto variant = harness::variant_of(reading);
    const auto* rule =
        find_rule(order.rules, {"", reading.benchmark, variant, to_string(reading.metric), ""});
    const auto settled = settle(reading.direction, rule);
    if (settled.direction) return *settled.direction;
    if (order.direction == Direction::higher_is_better) return order.direction;
    throw Error(
        Errc::invalid_argument,
        fmt::format(
            "nothing says which way \"{}\" is better; give --higher-is-better, or --rules FILE "
            "with "
            "[{}]",
            text::one_line(reading.quantity, 80),
            rule_line(reading.benchmark, variant)));
}

void refuse_printed(const std::string& why) {
    throw Error(Errc::invalid_argument, "reading what the benchmark printed: " + why);
}

void check_values(const std::vector<double>& values, bool may_be_zero) {
    for (const double value : values) {
        if (std::isfinite(value) && (value > 0 || (value == 0 && may_be_zero))) continue;
        refuse_printed(fmt::format(
            "a value is {}; all must be {} 0", value, may_be_zero ? "at least" : "above"));
    }
}

double value_in(const harness::Reading& reading, bool may_be_zero) {
    if (reading.failed > 0 || reading.samples.empty()) {
        refuse_printed(text::one_line(reading.benchmark, 120) + " failed: " + reading.failure);
    }
    std::vector<double> values = reading.samples;
    for (double& value : values) value *= reading.factor;
    check_values(values, may_be_zero);
    return stats::median(values);
}

}  // namespace vigil::local
