#include "service/local/reading/printed_value.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/harness/console/recognize.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/local/reading/harness_output.hpp"
#include "service/local/reading/printed_cases.hpp"
#include "worker/run/guarded.hpp"

namespace vigil::local {

template <class Io>
void fields(Io& io, ReadAs& as) {
    io(as.program, as.benchmark, as.quantity, as.unit, as.kind, as.direction, as.bench);
}

template <class Io>
void fields(Io& io, SeenReading& seen) {
    io(seen.read_as, seen.exact_form);
}

template <class Io>
void fields(Io& io, PrintedCase& one) {
    io(one.name, one.quantity, one.unit, one.kind, one.direction, one.value, one.problem);
}

template <class Io>
void fields(Io& io, PrintedCases& printed) {
    io(printed.cases, printed.left_out);
}

namespace {

using nlohmann::json;

constexpr const char* too_long = "it is longer than the 4 MiB that are kept";

std::vector<double> values_in_array(const json& value) {
    std::vector<double> values;
    for (const auto& item : value) {
        if (!item.is_number()) refuse_printed("its JSON array holds more than numbers");
        values.push_back(item.get<double>());
    }
    return values;
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

/// @return  empty: all of several
/// @throws Error{invalid_argument} that names all there are
std::string chosen_benchmark(const harness::SelfSizing& seen, const std::string& select) {
    const auto names = harness::benchmarks_of(*seen.report);
    if (select.empty()) return names.size() == 1 ? names.front() : "";
    if (std::ranges::count(names, select) > 0) return select;
    refuse_choice(fmt::format(
        "--case: {} printed no benchmark called \"{}\"; it printed {}",
        seen.program,
        text::one_line(select, 200),
        quoted_list(names)));
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
    const double value = value_in(*found, may_be_zero(kind_of(order), order.direction));
    if (unit_shown(*found) != as.unit) {
        refuse_printed(fmt::format("it is in \"{}\", and was in \"{}\"", found->unit, as.unit));
    }
    return value;
}

std::string quoted_end(std::string_view text) {
    const std::string line = text::one_line(last_line(text), 80);
    return fmt::format("it ends with \"{}\"", line);
}

/// Of several benchmarks all are read, where one of them can be.
/// @throws Error{invalid_argument} as of the first one, where none can
ReadAs all_benchmarks(const harness::SelfSizing& seen, const Order& order) {
    const auto cases = cases_in(seen, order).cases;
    if (std::ranges::all_of(cases, [](const PrintedCase& one) { return !one.value; })) {
        const auto first = harness::benchmarks_of(*seen.report).front();
        direction_of(chosen_reading(seen, first, order), order);
    }
    ReadAs all;
    all.program = seen.program;
    all.bench = bench_line(order);
    return all;
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
    if (seen->report->readings.empty()) refuse_printed("it holds no result of " + seen->program);
    const auto benchmark = chosen_benchmark(*seen, order.select);
    if (benchmark.empty()) return SeenReading{all_benchmarks(*seen, order), seen->exact_form};
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

PrintedCases cases_of(const worker::RunReport& report, const Order& order) {
    if (report.truncated) refuse_printed(too_long);
    const auto seen = seen_in(report, order);
    if (!seen || !seen->report || seen->report->readings.empty()) {
        refuse_printed(fmt::format(
            "it holds no result of {}{}{}",
            order.read_as ? order.read_as->program : "a benchmark harness",
            seen ? ": " : "",
            seen ? seen->problem : ""));
    }
    auto printed = cases_in(*seen, order);
    const auto& cases = printed.cases;
    if (std::ranges::any_of(cases, [](const PrintedCase& one) { return one.value.has_value(); })) {
        return printed;
    }
    if (cases.empty()) refuse_printed("none of its benchmarks has the quantity that is judged");
    refuse_printed(fmt::format(
        "none of its {} benchmarks gave a value; {}: {}",
        cases.size(),
        text::one_line(cases.front().name, 120),
        cases.front().problem));
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

PrintedCases guarded_cases_of(const worker::RunReport& report, const Order& order) {
    return worker::guarded(limits_of(report), [&] { return cases_of(report, order); });
}

}  // namespace vigil::local
