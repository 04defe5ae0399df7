#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "service/tables/fields.hpp"
#include "service/tables/summary.hpp"

namespace vigil::tables {

namespace {

using nlohmann::json;

json number_json(const std::optional<double>& value) {
    return value ? json(*value) : json();
}

json left_out_json(const std::vector<LeftOut>& left_out) {
    json list = json::array();
    for (const auto& one : left_out) list.push_back({{"model", one.model}, {"why", one.why}});
    return list;
}

json aggregate_json(const Aggregate& aggregate) {
    return {
        {"value", number_json(aggregate.value)},
        {"count", aggregate.count},
        {"left_out", left_out_json(aggregate.left_out)}};
}

json headline_json(const Headline& line) {
    const auto whole = static_cast<double>(line.total);
    return {
        {"rule", to_string(line.rule)},
        {"passing", line.passing},
        {"total", line.total},
        {"pass_rate", line.total == 0 ? json() : json(static_cast<double>(line.passing) / whole)},
        {"speedup", number_json(line.speedup.value)},
        {"compile_s", number_json(line.compile_s.value)},
        {"memory_ratio", number_json(line.memory_ratio.value)},
        {"left_out",
         {{"speedup", left_out_json(line.speedup.left_out)},
          {"compile_s", left_out_json(line.compile_s.left_out)},
          {"memory_ratio", left_out_json(line.memory_ratio.left_out)}}}};
}

json result_json(const Result& result) {
    json value{{"model", result.model}};
    for (const auto& [name, member] : text_members) {
        if (!(result.*member).empty()) value[std::string(name)] = result.*member;
    }
    for (const auto& [name, member] : count_members) {
        if (result.*member > 0) value[std::string(name)] = result.*member;
    }
    for (const auto& [field, number] : result.values) value[std::string(to_string(field))] = number;
    return value;
}

json batches_json(const BatchTable& table) {
    json rows = json::array();
    for (const auto& row : table.rows) {
        json cells = json::array();
        for (const auto* result : row.backends) {
            if (result == nullptr) {
                cells.push_back(nullptr);
                continue;
            }
            cells.push_back(
                {{"time_s", number_json(result->get(Field::time_s))}, {"status", result->status}});
        }
        rows.push_back({{"model", row.model}, {"batch", row.batch}, {"cells", cells}});
    }
    json gains = json::array();
    for (const auto& gain : table.gains) {
        json value = aggregate_json(gain.speedup);
        value["backend"] = gain.backend;
        value["rule"] = to_string(Rule::paired_v1);
        gains.push_back(value);
    }
    return {
        {"label", table.label}, {"backends", table.backends}, {"rows", rows}, {"speedups", gains}};
}

json scaling_json(const ScalingTable& table) {
    json rows = json::array();
    for (const auto& row : table.rows) {
        rows.push_back(
            {{"model", row.model},
             {"batch", row.batch},
             {"workers", row.workers},
             {"throughput_per_s", row.throughput_per_s},
             {"scaling_factor", number_json(row.factor)},
             {"parallel_efficiency", number_json(row.efficiency)}});
    }
    json means = json::array();
    for (const auto& mean : table.means) {
        means.push_back(
            {{"workers", mean.workers},
             {"rule", to_string(Rule::paired_v1)},
             {"scaling_factor", aggregate_json(mean.factor)},
             {"parallel_efficiency", aggregate_json(mean.efficiency)}});
    }
    return {{"label", table.label}, {"workers", table.workers}, {"rows", rows}, {"means", means}};
}

json breakdown_json(const Breakdown& breakdown) {
    json rows = json::array();
    for (const auto& row : breakdown.rows) {
        json modes = json::object();
        for (const auto& [mode, shares] : row.by_mode) {
            modes[mode] = {
                {"active", shares.active},
                {"movement", shares.movement},
                {"idle", shares.idle},
                {"models", shares.models}};
        }
        rows.push_back({{"domain", row.domain}, {"modes", modes}});
    }
    return {
        {"rule", to_string(Rule::paired_v1)},
        {"rows", rows},
        {"left_out", left_out_json(breakdown.left_out)}};
}

}  // namespace

json summary_json(const Summary& summary) {
    json dashboard = json::object();
    for (const auto& suite : summary.dashboard) {
        json rules = json::object();
        for (const auto& line : suite.headlines) {
            rules[std::string(to_string(line.rule))] = headline_json(line);
        }
        dashboard[suite.label] = rules;
    }
    json batches = json::array();
    for (const auto& table : summary.batches) batches.push_back(batches_json(table));
    json scaling = json::array();
    for (const auto& table : summary.scaling) scaling.push_back(scaling_json(table));
    json results = json::array();
    for (const auto& result : summary.results) results.push_back(result_json(result));
    return {
        {"dashboard", dashboard},
        {"batches", batches},
        {"scaling", scaling},
        {"breakdown", summary.breakdown.rows.empty() ? json() : breakdown_json(summary.breakdown)},
        {"results", results},
        {"notes", summary.notes}};
}

}  // namespace vigil::tables
