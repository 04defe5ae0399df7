#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/json_readers.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::harness {

namespace {

using wire::Item;
using wire::ObjectReader;

/// One benchmark's columns by name; trailing ones may be left out.
using Columns = std::map<std::string, Item>;

/// "(10, 'fast')" for each combination, the last parameter running fastest; "" without parameters.
std::vector<std::string> combinations_of(const Columns& columns) {
    std::vector<std::string> all = {""};
    const auto found = columns.find("params");
    if (found == columns.end() || found->second.value->is_null()) return all;
    for (const auto& choices : wire::items_of(found->second)) {
        std::vector<std::string> longer;
        const auto texts = wire::items_of(choices);
        if (all.size() * texts.size() > wire::max_items) {
            wire::refuse(choices.path, "makes too many combinations");
        }
        for (const auto& begin : all) {
            for (const auto& choice : texts) {
                longer.push_back(begin + (begin.empty() ? "" : ", ") + wire::text_of(choice));
            }
        }
        all = std::move(longer);
    }
    for (auto& one : all) one = one.empty() ? one : "(" + one + ")";
    return all;
}

struct AsvKind {
    std::string unit;
    Metric metric = Metric::reported_value;
};

/// By the name of the function: "bench.Suite.time_sort".
AsvKind kind_named(const std::string& benchmark) {
    const auto function = benchmark.substr(benchmark.rfind('.') + 1);
    if (function.starts_with("peakmem_")) return {"bytes", Metric::peak_process_bytes};
    if (function.starts_with("mem_")) return {"bytes"};
    if (function.starts_with("time_") || function.starts_with("timeraw_")) {
        return {"seconds", Metric::wall_time_ns};
    }
    return {};
}

void add_value(const ReadingName& name, const AsvKind& kind, const Item& value, Collector& into) {
    into.reading(name, kind.unit).metric = kind.metric;
    if (value.value->is_null()) {
        into.add_failure(name, kind.unit);
    } else {
        into.add_summary(name, kind.unit, wire::number_of(value));
    }
}

void read_benchmark(const std::string& benchmark, const Columns& columns, Collector& into) {
    const auto kind = kind_named(benchmark);
    const auto combinations = combinations_of(columns);
    const auto version = columns.find("version");
    const auto values = columns.find("result");
    if (values == columns.end() || values->second.value->is_null()) return;
    const auto results = wire::items_of(values->second);
    if (results.size() != combinations.size()) {
        wire::refuse(
            values->second.path,
            fmt::format("has {} values for {} combinations", results.size(), combinations.size()));
    }
    const auto lists = columns.find("samples");
    const auto samples = lists == columns.end() || lists->second.value->is_null()
                             ? std::vector<Item>{}
                             : wire::items_of(lists->second);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const ReadingName name{
            benchmark + combinations[i],
            "",
            version == columns.end() ? "" : wire::text_of(version->second)};
        add_value(name, kind, results[i], into);
        if (i >= samples.size() || samples[i].value->is_null()) continue;
        for (const auto& one : wire::items_of(samples[i])) {
            into.add(name, kind.unit, wire::number_of(one));
        }
    }
}

}  // namespace

void read_asv(const nlohmann::json& file, Collector& into) {
    ObjectReader reader(file, "file");
    into.report.revision = reader.text("commit_hash");
    if (reader.has("date")) into.report.time_s = reader.integer("date") / 1000;
    for (const auto& [key, value] : reader.members("params")) {
        if (!value.value->is_string()) continue;
        (key == "machine" ? into.report.machine : into.report.environment[key]) =
            value.value->get<std::string>();
    }
    into.report.environment["env"] = reader.text_or("env_name", "");
    const auto names = reader.texts("result_columns");
    for (const auto& [benchmark, item] : reader.members("results")) {
        Columns columns;
        const auto cells = wire::items_of(item);
        if (cells.size() > names.size()) wire::refuse(item.path, "has more values than columns");
        for (std::size_t i = 0; i < cells.size(); ++i) columns.emplace(names[i], cells[i]);
        read_benchmark(benchmark, columns, into);
    }
}

}  // namespace vigil::harness
