#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/facts.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/harness/units.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using nlohmann::json;
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

/// How versions before 1.4.1 call rows that sum up others.
constexpr std::array<std::string_view, 6> summaries = {
    "_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"};

/// "2015/03/17-18:40:25", as old versions write it, becomes "2015-03-17T18:40:25".
std::string plain_date(std::string date) {
    if (date.size() < 11 || date[4] != '/' || date[7] != '/' || date[10] != '-') return date;
    date[4] = date[7] = '-';
    date[10] = 'T';
    return date;
}

/// Members that users add by --benchmark_context, where they tell of the machine.
bool tells_of_machine(const std::string& key) {
    constexpr std::array<std::string_view, 8> words = {
        "cpu", "gpu", "processor", "device", "driver", "compiler", "cuda", "rocm"};
    const auto low = text::lower_case(key);
    if (low.ends_with("num_cpus") || low.starts_with("mhz_") || low.starts_with("cpu_scaling")) {
        return false;
    }
    return std::ranges::any_of(words, [&](auto word) { return low.find(word) != low.npos; });
}

void read_context(const json& context, Collector& into) {
    auto& report = into.report;
    const auto date = plain_date(fact_in(context, "date"));
    report.time_s = text::parse_time(date);
    if (!date.empty() && !report.time_s) wire::refuse("file.context.date", "is no date");
    report.machine = fact_in(context, "host_name");
    const auto note = [&](const std::string& name, const std::string& fact) {
        if (fact.empty()) return;
        into.budget().make(
            2 * sizeof name + text::tree_bytes + text::heap_bytes(name) + text::heap_bytes(fact));
        report.environment[name] = fact;
    };
    // Another number of processors is another machine, a debug library another program.
    note("cpus", fact_in(context, "num_cpus"));
    note("library", fact_in(context, "library_build_type"));
    const auto caches = caches_of(context);
    note("caches", caches);
    // The clock is measured anew in every run: it tells machines apart only roughly, and no usual
    // clock lies at a border (1950, 2150, ...).
    const auto mhz = context.find("mhz_per_cpu");
    if (caches.empty() && mhz != context.end() && mhz->is_number()) {
        note("mhz", fmt::format("about {:.0f}", 200 * std::floor((mhz->get<double>() + 50) / 200)));
    }
    for (const auto& [key, value] : context.items()) {
        if (value.is_string() && tells_of_machine(key)) note(key, fact_of(value));
    }
}

/// A name as it stands, of any length; "" where there is none.
std::string raw_text(const json& row, const char* key) {
    const auto found = row.is_object() ? row.find(key) : row.end();
    return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Names of old files whose rows are summed up in rows of their own: "Hash/64" where there are
/// "Hash/64_mean" and "Hash/64_stddev".
std::set<std::string> summed_up(const json& benchmarks) {
    std::set<std::string> all, summed;
    for (const auto& entry : benchmarks) {
        if (!entry.is_object() || entry.contains("run_type")) continue;
        all.insert(raw_text(entry, "name"));
    }
    for (const auto& name : all) {
        if (!name.ends_with("_mean")) continue;
        const auto base = name.substr(0, name.size() - 5);
        if (all.contains(base + "_stddev")) summed.insert(base);
    }
    return summed;
}

/// Names whose median is told.
std::set<std::string> with_median(const std::vector<Item>& rows) {
    std::set<std::string> names;
    for (const auto& item : rows) {
        const auto name = raw_text(*item.value, "name");
        if (fact_in(*item.value, "aggregate_name") == "median") {
            const auto base = raw_text(*item.value, "run_name");
            names.insert(base.empty() ? name : base);
        } else if (name.ends_with("_median")) {
            names.insert(name.substr(0, name.size() - 7));
        }
    }
    return names;
}

/// One row of the file.
struct Entry {
    std::string name;
    std::string aggregate;  ///< "mean" of many; empty: an iteration
};

Entry entry_of(const ObjectReader& of, const json& row, const std::set<std::string>& summed) {
    ObjectReader reader = of;
    Entry entry{reader.text_or("run_name", reader.text("name")), ""};
    if (reader.has("run_type")) {
        if (reader.text("run_type") == "iteration") return entry;
        entry.aggregate = reader.text_or("aggregate_name", "other");
        return entry;
    }
    for (const auto end : summaries) {
        if (!entry.name.ends_with(end)) continue;
        const auto base = entry.name.substr(0, entry.name.size() - end.size());
        const bool is_fit = end == "_BigO" ? row.contains("big_o") || !row.contains("real_time")
                                           : end == "_RMS" && row.contains("rms");
        if (is_fit || summed.contains(base)) return {base, std::string(end.substr(1))};
    }
    return entry;
}

/// Rows of one name are repetitions of one benchmark only where these agree.
std::string origin_of(const json& row) {
    return fact_in(row, "family_index") + "/" + fact_in(row, "per_family_instance_index");
}

/// What an entry measured: real time, CPU time and counters.
void read_values(const Entry& entry, ObjectReader& reader, const json& row, Collector& into) {
    const auto unit = reader.text_or("time_unit", "ns");
    if (unit_named(unit).kind != MetricKind::time) {
        wire::refuse(reader.path("time_unit"), "must be ns, us, ms or s");
    }
    const auto benchmark = into.fit({entry.name}).benchmark;
    const auto add = [&](const char* quantity, const std::string& in, double value, ReadingKind k) {
        const ReadingName name{benchmark, quantity};
        if (entry.aggregate.empty()) return into.add(name, in, value, k);
        into.add_summary(name, in, value, k);
    };
    add("", unit, reader.number("real_time", measurable), {});
    if (reader.has("cpu_time")) {
        const auto cpu = reader.number("cpu_time", measurable);
        add("CPU time", unit, cpu, {.metric = Metric::cpu_time_ns});
    }
    for (const auto& [key, value] : row.items()) {
        if (!value.is_number() || std::ranges::count(own_members, key) > 0) continue;
        add(key.c_str(), "", value.get<double>(), {});
    }
}

void read_entry(
    const Item& item,
    const std::set<std::string>& summed,
    const std::set<std::string>& medians,
    Collector& into) {
    ObjectReader reader(item);
    const auto entry = entry_of(reader, *item.value, summed);
    if (reader.flag_or("error_occurred", false) || reader.has("error_message")) {
        if (!entry.aggregate.empty()) return;
        into.add_failure(
            {entry.name},
            reader.text_or("time_unit", "ns"),
            reader.text_or("error_message", "no message"));
        return;
    }
    if (reader.flag_or("skipped", false)) return;
    const bool is_mean = entry.aggregate == "mean" && !medians.contains(entry.name);
    if (entry.aggregate.empty() || entry.aggregate == "median" || is_mean) {
        read_values(entry, reader, *item.value, into);
    }
}

}  // namespace

void read_google_benchmark(const json& file, Collector& into) {
    ObjectReader reader(file, "file");
    if (auto context = reader.find("context"); context && context->value->is_object()) {
        read_context(*context->value, into);
    }
    const auto rows = reader.items("benchmarks");
    const auto summed = summed_up(file["benchmarks"]);
    const auto medians = with_median(rows);
    for (const auto& item : rows) {
        into.row(
            item.path, origin_of(*item.value), [&] { read_entry(item, summed, medians, into); });
    }
}

}  // namespace vigil::harness
