#include "worker/run/sample_formats.hpp"

#include <algorithm>
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

using wire::Item;
using wire::ObjectReader;

nlohmann::json parse(std::string_view output) {
    return wire::parse_json(output, "the benchmark's output");
}

std::vector<double> numbers(const std::vector<Item>& items, double factor) {
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

}  // namespace

void refuse_output(const std::string& why) {
    throw Error(Errc::invalid_argument, "reading the benchmark's output: " + why);
}

double unit_factor(MetricKind kind, std::string_view name) {
    std::string choices;
    for (const auto& unit : units) {
        if (unit.kind != kind) continue;
        if (unit.name == name) return unit.factor;
        choices += (choices.empty() ? "" : ", ") + std::string(unit.name);
    }
    refuse_output(fmt::format("the unit \"{}\" is none of {}", text::one_line(name, 40), choices));
}

PrintedResult read_google_benchmark(const SampleRule& rule, std::string_view output) {
    const auto json = parse(output);
    Samples wall{Metric::wall_time_ns, {}};
    Samples cpu{Metric::cpu_time_ns, {}};
    Selection selection(rule.select);
    for (const auto& item : ObjectReader(json, "output").items("benchmarks")) {
        ObjectReader entry(item);
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
    PrintedResult result;
    result.samples = {std::move(wall), std::move(cpu)};
    return result;
}

PrintedResult read_hyperfine(const SampleRule& rule, std::string_view output) {
    constexpr double second_ns = 1e9;
    const auto json = parse(output);
    PrintedResult result;
    Selection selection(rule.select);
    for (const auto& item : ObjectReader(json, "output").items("results")) {
        ObjectReader entry(item);
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

PrintedResult read_vigil(std::string_view output) {
    const auto json = parse(output);
    ObjectReader reader(json, "output");
    if (reader.integer("vigil_bench") != 1) {
        refuse_output("it is not version 1 of vigil-bench's format");
    }
    PrintedResult result;
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

}  // namespace vigil::worker
