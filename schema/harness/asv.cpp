#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/facts.hpp"
#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using nlohmann::json;
using wire::Item;
using wire::ObjectReader;

/// What asv says of one benchmark; null where it says nothing.
struct AsvRow {
    std::string benchmark;
    std::string version;
    Item params;
    Item result;
    Item samples;
};

const json nothing;
constexpr std::size_t most_name_bytes = std::size_t{64} << 20;  // of combinations, in all

Item asv_member(const Item& row, const char* key) {
    const auto found = row.value->find(key);
    return {found == row.value->end() ? &nothing : &*found, row.path + "." + key};
}

/// "(10, 'fast')" for each combination, the last parameter running fastest; "" without parameters.
std::vector<std::string> combinations_of(const Item& params) {
    std::vector<std::string> all = {""};
    std::size_t bytes = 0;  // of all steps
    if (params.value->is_null()) return all;
    for (const auto& choices : wire::items_of(params)) {
        std::vector<std::string> longer;
        const auto texts = wire::items_of(choices);
        if (all.size() * texts.size() > wire::max_items) {
            wire::refuse(choices.path, "makes too many combinations");
        }
        for (const auto& begin : all) {
            for (const auto& choice : texts) {
                longer.push_back(begin + (begin.empty() ? "" : ", ") + fact_of(*choice.value));
                bytes += longer.back().size();
                if (bytes > most_name_bytes) wire::refuse(choices.path, "makes too long names");
            }
        }
        all = std::move(longer);
    }
    for (auto& one : all) one = one.empty() ? one : "(" + one + ")";
    return all;
}

struct AsvKind {
    std::string unit;
    ReadingKind kind = {};
};

/// By the name of the function: "bench.Suite.time_sort".
AsvKind kind_named(const std::string& benchmark) {
    const auto function = benchmark.substr(benchmark.rfind('.') + 1);
    if (function.starts_with("peakmem_")) return {"bytes", {.metric = Metric::peak_process_bytes}};
    if (function.starts_with("mem_")) return {"bytes", {.metric = Metric::reported_value}};
    if (function.starts_with("time_") || function.starts_with("timeraw_")) {
        return {"seconds", {.metric = Metric::wall_time_ns}};
    }
    return {"", {.metric = Metric::reported_value}};
}

/// One value of each combination: null says that it failed, NaN (a text by now, see read.cpp) that
/// it was skipped on purpose. A single null says that all of them failed.
void read_benchmark(const AsvRow& row, const std::string& environment, Collector& into) {
    const auto kind = kind_named(row.benchmark);
    const auto combinations = combinations_of(row.params);
    const bool all_failed = row.result.value->is_null();
    std::vector<Item> results(combinations.size(), row.result);
    if (row.result.value->is_array()) results = wire::items_of(row.result);
    if (results.size() != combinations.size()) {
        wire::refuse(
            row.result.path,
            fmt::format("has {} values for {} combinations", results.size(), combinations.size()));
    }
    const auto samples =
        row.samples.value->is_array() ? wire::items_of(row.samples) : std::vector<Item>{};
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto plain = row.benchmark + combinations[i];
        const ReadingName name{with_parts(plain, {{"", environment}}), "", row.version, plain};
        if (results[i].value->is_null()) {
            into.add_failure(
                name,
                kind.unit,
                all_failed ? "nothing of this benchmark ran" : "no reason given",
                kind.kind);
        } else if (!results[i].value->is_string()) {
            into.add_summary(name, kind.unit, wire::number_of(results[i]), kind.kind);
        }
        if (i >= samples.size() || !samples[i].value->is_array()) continue;
        for (const auto& one : wire::items_of(samples[i])) {
            if (!one.value->is_number()) continue;
            into.add(name, kind.unit, wire::number_of(one), kind.kind);
        }
    }
}

/// As version 2 writes it: values in the order of "result_columns", of which trailing ones may be
/// left out.
AsvRow row_of(const std::string& name, const Item& item, const std::vector<std::string>& columns) {
    const auto cells = wire::items_of(item);
    if (cells.size() > columns.size()) wire::refuse(item.path, "has more values than columns");
    std::map<std::string, Item> by_name;
    for (std::size_t i = 0; i < cells.size(); ++i) by_name.emplace(columns[i], cells[i]);
    const auto cell = [&](const char* key) {
        const auto found = by_name.find(key);
        return found == by_name.end() ? Item{&nothing, item.path + "." + key} : found->second;
    };
    return {name, fact_of(*cell("version").value), cell("params"), cell("result"), cell("samples")};
}

/// As version 1 writes it: a value, or an object with values and parameters.
AsvRow row_of(const std::string& name, const Item& item, const json& versions) {
    const auto version = fact_in(versions, name.c_str());
    const Item none{&nothing, item.path};
    if (!item.value->is_object()) return {name, version, none, item, none};
    return {
        name,
        version,
        asv_member(item, "params"),
        asv_member(item, "result"),
        asv_member(item, "samples")};
}

/// The environment in which asv ran: every other one measures other numbers of the same benchmark.
std::string asv_environment(ObjectReader& reader, const Item& params) {
    const auto name = reader.find("env_name");
    if (name) return fact_of(*name->value);
    auto said = fact_in(*params.value, "python");
    if (!said.empty()) said = "py" + said;
    for (const auto& [package, item] : reader.members("requirements")) {
        said += (said.empty() ? "" : "-") + package + fact_of(*item.value);
    }
    return said;
}

}  // namespace

void read_asv(const json& file, Collector& into) {
    ObjectReader reader(file, "file");
    into.report.revision = reader.text("commit_hash");
    if (reader.has("date")) into.report.time_s = reader.integer("date") / 1000;
    const auto params = asv_member({&file, "file"}, "params");
    into.report.machine = fact_in(*params.value, "machine");
    note_facts(*params.value, {"arch", "cpu", "num_cpu", "os", "python", "ram"}, into.report);
    const auto environment = asv_environment(reader, params);
    const bool has_columns = reader.has("result_columns");
    const auto columns = reader.texts_or_none("result_columns");
    const auto versions = asv_member({&file, "file"}, "benchmark_version");
    for (const auto& [name, item] : reader.members("results")) {
        const auto& benchmark = name;
        const auto& said = item;
        into.row(said.path, [&] {
            const auto row = has_columns ? row_of(benchmark, said, columns)
                                         : row_of(benchmark, said, *versions.value);
            read_benchmark(row, environment, into);
        });
    }
}

}  // namespace vigil::harness
