#include "service/local/printed_value.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/json.hpp"
#include "worker/run/samples.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;

[[noreturn]] void refuse_printed(const std::string& why) {
    throw Error(Errc::invalid_argument, "reading what the benchmark printed: " + why);
}

std::string_view stripped(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
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
    return stripped(at == text.npos ? text : text.substr(at + 1));
}

/// The lines of numbers that a text ends with, last first.
std::vector<double> numbers_at_end(std::string_view text) {
    std::vector<double> values;
    while (!text.empty()) {
        const auto value = number_in(last_line(text));
        if (!value) break;
        values.push_back(*value);
        const auto at = text.rfind('\n');
        text = at == text.npos ? std::string_view{} : stripped(text.substr(0, at));
    }
    return values;
}

/// The JSON object or array that a text ends with, when it begins a line.
std::optional<json> json_at_end(std::string_view text) {
    if (!text.ends_with('}') && !text.ends_with(']')) return std::nullopt;
    int tries = 100;  // of lines that only look like it
    for (std::size_t at = 0; at < text.size() && tries > 0;) {
        const char first = text[at];
        if (first == '{' || first == '[') {
            --tries;
            try {
                return wire::parse_json(text.substr(at), "the benchmark's output");
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

/// What a known program's JSON says of its wall time, or of its only metric.
std::vector<double> values_in_object(const json& value) {
    SampleRule rule;
    rule.format = value.contains("vigil_bench")  ? SampleFormat::vigil
                  : value.contains("benchmarks") ? SampleFormat::google_benchmark
                  : value.contains("results")    ? SampleFormat::hyperfine
                                                 : SampleFormat::none;
    if (rule.format == SampleFormat::none) {
        refuse_printed(
            "its JSON is of none of the known kinds (an array of numbers, Google Benchmark, "
            "hyperfine, vigil-bench)");
    }
    const auto printed = worker::read_printed(rule, wire::write_json(value));
    if (printed.outcome != Outcome::passed) refuse_printed(text::one_line(printed.message, 200));
    return printed.samples.front().values;
}

std::string quoted_end(std::string_view text) {
    const std::string line = text::one_line(last_line(text), 80);
    return fmt::format("it ends with \"{}\"", line);
}

}  // namespace

double printed_value(std::string_view output) {
    const std::string_view text = stripped(output);
    if (text.empty()) refuse_printed("it printed nothing; --metric samples needs a number");
    std::vector<double> values = numbers_at_end(text);
    if (values.empty()) {
        const auto value = json_at_end(text);
        if (!value) refuse_printed(quoted_end(text) + ", which is no number");
        values = value->is_array() ? values_in_array(*value) : values_in_object(*value);
        if (values.empty()) refuse_printed("its JSON holds no number");
    }
    for (const double value : values) {
        if (std::isfinite(value) && value > 0) continue;
        refuse_printed(fmt::format("a value is {}; all must be above 0", value));
    }
    return stats::median(values);
}

double value_of(const worker::RunReport& report, Measure measure) {
    const auto above_zero = [](std::int64_t value, const char* what) {
        if (value <= 0) refuse_printed(fmt::format("the system tells no {} of the run", what));
        return static_cast<double>(value);
    };
    switch (measure) {
        case Measure::time: return above_zero(report.wall_time_ns, "wall time");
        case Measure::cpu: return above_zero(report.cpu_time_ns, "CPU time");
        case Measure::memory: return above_zero(report.peak_bytes, "peak memory");
        case Measure::samples: break;
    }
    if (report.truncated) refuse_printed("it is longer than the 4 MiB that are kept");
    return printed_value(report.output);
}

}  // namespace vigil::local
