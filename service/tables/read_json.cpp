#include "service/tables/read_json.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/tables/cell.hpp"
#include "service/tables/fields.hpp"

namespace vigil::tables {

namespace {

using nlohmann::json;
using wire::Item;
using wire::ObjectReader;

json parse_one(std::string_view text, const std::string& file) {
    return wire::parse_json(text, file, {.max_bytes = std::size_t{64} << 20});
}

/// {"torchbench": {"speedup": [["resnet18", 1, "1.16"], ...], "accuracy": ..., ...}, ...}
bool is_dashboard(const json& root) {
    if (!root.is_object() || root.empty()) return false;
    return std::all_of(root.begin(), root.end(), [](const json& suite) {
        if (!suite.is_object()) return false;
        return suite.contains("speedup") || suite.contains("accuracy") ||
               suite.contains("compile") || suite.contains("mem");
    });
}

/// A cell of a dashboard: a number, or its text.
Cell cell_of(const Item& item, std::string& text) {
    if (item.value->is_number()) {
        Cell cell;
        cell.number = wire::number_of(item);
        text = item.value->dump();
        return cell;
    }
    text = wire::text_of(item, max_text_bytes);
    return parse_cell(text);
}

void read_dashboard_table(
    const std::string& suite, const std::string& table, const Item& rows, ResultList& list) {
    static const std::map<std::string, std::optional<Field>> tables{
        {"speedup", Field::speedup},
        {"accuracy", std::nullopt},
        {"compile", Field::compile_s},
        {"mem", Field::memory_ratio}};
    const auto meaning = tables.find(table);
    if (meaning == tables.end()) {
        wire::refuse(rows.path, "is no table of a dashboard: speedup, accuracy, compile, mem");
    }
    for (const Item& row : wire::items_of(rows, max_results)) {
        const auto cells = wire::items_of(row, 3);
        if (cells.size() != 3) wire::refuse(row.path, "must be [model, batch, value]");
        Result result;
        result.suite = suite;
        result.model = wire::text_of(cells[0], max_text_bytes);
        result.batch = wire::integer_of(cells[1], any_count);
        if (result.model.empty()) wire::refuse(cells[0].path, "is empty");
        std::string text;
        const Cell cell = cell_of(cells[2], text);
        if (!meaning->second) {
            result.status = text;
        } else if (cell.number) {
            result.values.emplace(*meaning->second, *cell.number);
        } else if (!cell.word.empty()) {
            wire::refuse(cells[2].path, "is no number: '" + cell.word.substr(0, 60) + "'");
        }
        list.add(std::move(result), row.path);
    }
}

void read_dashboard(const json& root, const std::string& file, ResultList& list) {
    for (const auto& [suite, tables] : wire::members_of({&root, file})) {
        for (const auto& [table, rows] : wire::members_of(tables)) {
            read_dashboard_table(suite, table, rows, list);
        }
    }
}

/// What our own --json prints under "results".
void read_own(const json& root, const std::string& file, ResultList& list) {
    ObjectReader whole(root, file);
    for (const Item& item : whole.items("results", max_results)) {
        ObjectReader reader(item);
        Result result;
        result.model = reader.text("model", max_text_bytes);
        if (result.model.empty()) wire::refuse(reader.path("model"), "is empty");
        for (const auto& [name, member] : text_members) {
            result.*member = reader.text_or(name, "", max_text_bytes);
        }
        for (const auto& [name, member] : count_members) {
            result.*member = reader.integer_or(name, 0, {unbatched, any_count.high});
        }
        for (const auto& [field, name] : enum_names<Field>) {
            if (!reader.has(name)) continue;
            result.values.emplace(field, reader.number(name, {-1e300, 1e300}));
        }
        for (const auto& [name, value] : reader.members("metrics", max_details)) {
            result.metrics.emplace(name, wire::number_of(value));
        }
        for (const auto& [name, value] : reader.members("facts", max_details)) {
            result.facts.emplace(name, wire::text_of(value));
        }
        reader.done();
        list.add(std::move(result), item.path);
    }
}

}  // namespace

void read_json_results(std::string_view text, const std::string& file, ResultList& list) {
    const auto first_line = text.substr(0, text.find('\n'));
    if (first_line.find("\"vigil_bench\"") != first_line.npos) {
        read_bench_lines(text, file, list);
        return;
    }
    const json root = parse_one(text, file);
    const auto has = [&](const char* key) { return root.is_object() && root.contains(key); };
    if (has("results")) {
        read_own(root, file, list);
    } else if (has("metrics")) {
        read_torchbench(root, file, list);
    } else if (has("benchmarks")) {
        read_torchbench_pytest(root, file, list);
    } else if (is_dashboard(root)) {
        read_dashboard(root, file, list);
    } else {
        throw Error(
            Errc::invalid_argument,
            "reading " + file +
                ": this JSON is neither a dashboard ({suite: {speedup: [...]}}), nor TorchBench's "
                "(metrics, benchmarks), nor vigil-bench's, nor our own (results)");
    }
}

}  // namespace vigil::tables
