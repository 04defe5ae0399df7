#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/json_readers.hpp"
#include "schema/harness/units.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using wire::Item;
using wire::ObjectReader;

/// What Google Benchmark says of every entry; any other number is a counter.
constexpr std::array<std::string_view, 9> own_members = {
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
    "aggregate_unit"};

/// "2015/03/17-18:40:25", as old versions write it, becomes "2015-03-17T18:40:25".
std::string plain_date(std::string date) {
    if (date.size() < 11 || date[4] != '/' || date[7] != '/' || date[10] != '-') return date;
    date[4] = date[7] = '-';
    date[10] = 'T';
    return date;
}

void read_context(ObjectReader context, Report& report) {
    const auto date = plain_date(context.text_or("date", ""));
    report.time_s = text::parse_time(date);
    if (!date.empty() && !report.time_s) wire::refuse(context.path("date"), "is no date");
    report.machine = context.text_or("host_name", "");
    // Another number of processors is another machine, a debug library another program.
    if (context.has("num_cpus")) {
        report.environment["cpus"] = std::to_string(context.integer("num_cpus"));
    }
    const auto build = context.text_or("library_build_type", "");
    if (!build.empty()) report.environment["library"] = build;
}

void read_entry(const Item& item, Collector& into) {
    ObjectReader entry(item);
    const auto name = entry.text_or("run_name", entry.text("name"));
    const auto unit = entry.text_or("time_unit", "ns");
    if (unit_named(unit).kind != MetricKind::time) {
        wire::refuse(entry.path("time_unit"), "must be ns, us, ms or s");
    }
    if (entry.flag_or("error_occurred", false) || entry.has("error_message")) {
        into.add_failure({name}, unit, entry.text_or("error_message", "no message"));
        return;
    }
    if (entry.flag_or("skipped", false)) return;
    if (entry.text_or("run_type", "iteration") != "iteration") {
        const auto kind = entry.text_or("aggregate_name", "");
        const bool better = kind == "mean" && into.reading({name}, unit).samples.empty();
        if (kind == "median" || better) {
            into.add_summary({name}, unit, entry.number("real_time", measurable));
        }
        return;
    }
    into.add({name}, unit, entry.number("real_time", measurable));
    if (entry.has("cpu_time")) {
        into.add({name, "CPU time"}, unit, entry.number("cpu_time", measurable));
        into.reading({name, "CPU time"}, unit).metric = Metric::cpu_time_ns;
    }
    for (const auto& [key, value] : item.value->items()) {
        if (!value.is_number() || std::ranges::count(own_members, key) > 0) continue;
        into.add({name, key}, "", value.get<double>());
    }
}

}  // namespace

void read_google_benchmark(const nlohmann::json& file, Collector& into) {
    ObjectReader reader(file, "file");
    if (auto context = reader.find_object("context")) read_context(*context, into.report);
    for (const auto& item : reader.items("benchmarks")) read_entry(item, into);
}

}  // namespace vigil::harness
