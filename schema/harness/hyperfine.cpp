#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/harness/facts.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using wire::Item;
using wire::ObjectReader;

bool has_passed(const std::vector<Item>& codes, std::size_t run) {
    return run >= codes.size() || codes[run].value->is_null() || wire::integer_of(codes[run]) == 0;
}

/// The command, and those of its parameters that it does not show.
std::string command_name(ObjectReader& entry) {
    const auto command = entry.text("command");
    std::vector<std::pair<std::string, std::string>> hidden;
    for (const auto& [key, value] : entry.members("parameters")) {
        const auto said = fact_of(*value.value);
        if (command.find(said) == command.npos) hidden.emplace_back(key, said);
    }
    return with_parts(command, hidden);
}

void read_command(const Item& item, Collector& into) {
    ObjectReader entry(item);
    const auto command = entry.text("command");
    const auto name = into.fit({command_name(entry), "", "", command});
    const ReadingName peak{name.benchmark, "peak memory", "", name.former};
    const auto times = entry.items_or_none("times");
    const auto codes = entry.items_or_none("exit_codes");
    const auto peaks = entry.items_or_none("memory_usage_byte");
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (!has_passed(codes, i)) {
            into.add_failure(name, "s", "the measured command failed");
            into.add_of_failed(name, "s", wire::number_of(times[i], measurable));
            continue;
        }
        into.add(name, "s", wire::number_of(times[i], measurable));
    }
    for (std::size_t i = 0; i < std::min(times.size(), peaks.size()); ++i) {
        const ReadingKind kind{.metric = Metric::peak_process_bytes};
        const double bytes = wire::number_of(peaks[i]);
        if (has_passed(codes, i)) into.add(peak, "bytes", bytes, kind);
        if (!has_passed(codes, i)) into.add_of_failed(peak, "bytes", bytes, kind);
    }
    const double cpu = entry.number_or("user", 0) + entry.number_or("system", 0);
    if (cpu > 0) {
        into.add_summary(
            {name.benchmark, "CPU time", "", name.former},
            "s",
            cpu,
            {.metric = Metric::cpu_time_ns});
    }
    if (times.empty()) {
        into.add_summary(
            name, "s", entry.number(entry.has("median") ? "median" : "mean", measurable));
    }
}

}  // namespace

void read_hyperfine(const nlohmann::json& file, Collector& into) {
    for (const auto& item : ObjectReader(file, "file").items("results")) {
        into.row(item.path, [&] { read_command(item, into); });
    }
}

}  // namespace vigil::harness
