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

Item asv_member(const Item& row, const char* key) {
    const auto found = row.value->find(key);
    return {found == row.value->end() ? &nothing : &*found, row.path + "." + key};
}

/// "(10, 'fast')" for each combination of parameters, the last one running fastest; one without a
/// name where there are none. Each name is made when it is asked for: all of them together may be
/// much longer than the file.
class Combinations {
  public:
    explicit Combinations(const Item& params) {
        if (params.value->is_null()) return;
        for (const auto& choices : wire::items_of(params)) {
            auto& texts = choices_.emplace_back();
            const auto items = wire::items_of(choices);
            if (count_ * items.size() > wire::max_items) {
                wire::refuse(choices.path, "makes too many combinations");
            }
            count_ *= items.size();
            for (const auto& choice : items) texts.push_back(fact_of(*choice.value));
        }
    }

    std::size_t count() const { return count_; }

    std::string name(std::size_t number, text::ReadBudget& budget) const {
        std::size_t below = count_;
        std::string all;
        for (const auto& texts : choices_) {
            below /= texts.size();
            const auto& said = texts[number / below % texts.size()];
            budget.step(1 + said.size());
            all += (all.empty() ? "" : ", ") + said;
        }
        return all.empty() ? all : "(" + all + ")";
    }

  private:
    std::vector<std::vector<std::string>> choices_;
    std::size_t count_ = 1;
};

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
    const Combinations combinations(row.params);
    const auto& results = *row.result.value;
    const bool all_failed = results.is_null();
    const auto count = results.is_array() ? results.size() : combinations.count();
    if (count != combinations.count()) {
        wire::refuse(
            row.result.path,
            fmt::format("has {} values for {} combinations", count, combinations.count()));
    }
    const auto samples =
        row.samples.value->is_array() ? wire::items_of(row.samples) : std::vector<Item>{};
    for (std::size_t i = 0; i < count; ++i) {
        const auto plain = row.benchmark + combinations.name(i, into.budget());
        const auto name =
            into.fit({with_parts(plain, {{"", environment}}), "", row.version, plain});
        const Item result{
            results.is_array() ? &results[i] : &results,
            results.is_array() ? fmt::format("{}[{}]", row.result.path, i) : row.result.path};
        if (result.value->is_null()) {
            into.add_failure(
                name,
                kind.unit,
                all_failed ? "nothing of this benchmark ran" : "no reason given",
                kind.kind);
        } else if (!result.value->is_string()) {
            into.add_summary(name, kind.unit, wire::number_of(result), kind.kind);
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
