#include "service/tables/summary.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/wire/json_types.hpp"
#include "service/tables/fields.hpp"
#include "service/tables/notable.hpp"

namespace vigil::tables {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LeftOut, model, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Aggregate, value, count, left_out)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BatchGain, batch, speedup, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Shares, active, movement, idle, models)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BreakdownRow, domain, modes)

void to_json(json& value, const Headline& line) {
    const auto whole = static_cast<double>(line.total);
    value = {
        {"rule", line.rule},
        {"passing", line.passing},
        {"total", line.total},
        {"pass_rate", line.total == 0 ? json() : json(static_cast<double>(line.passing) / whole)},
        {"left_out", json::object()}};
    for (const auto& [name, aggregate] :
         {std::pair{"speedup", &line.speedup},
          std::pair{"compile_s", &line.compile_s},
          std::pair{"memory_ratio", &line.memory_ratio}}) {
        value[name] = aggregate->value;
        value["left_out"][name] = aggregate->left_out;
    }
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OutlierModel, model, speedup, deviations)

void to_json(json& value, const DashboardSuite& suite) {
    value = json::object();
    for (const auto& line : suite.headlines) value[std::string(to_string(line.rule))] = line;
    value["flagged"] = json::array();
    for (const auto& row : suite.rows) {
        const auto flags = flags_of(row);
        if (flags.empty()) continue;
        value["flagged"].push_back({{"model", row.model}, {"batch", row.batch}, {"flags", flags}});
    }
    value["outliers"] = outliers_of(suite.rows);
}

void to_json(json& value, const Result& result) {
    value = {{"model", result.model}};
    for (const auto& [name, member] : text_members) {
        if (!(result.*member).empty()) value[std::string(name)] = result.*member;
    }
    for (const auto& [name, member] : count_members) {
        if (result.*member != 0) value[std::string(name)] = result.*member;
    }
    for (const auto& [field, number] : result.values) value[std::string(to_string(field))] = number;
    if (!result.metrics.empty()) value["metrics"] = result.metrics;
    if (!result.facts.empty()) value["facts"] = result.facts;
}

void to_json(json& value, const BatchRow& row) {
    value = {{"model", row.model}, {"batch", row.batch}, {"cells", json::array()}};
    for (const auto* result : row.cells) {
        auto& cell = value["cells"].emplace_back();
        if (result == nullptr) continue;
        cell = {{"time_s", result->get(Field::time_s)}, {"status", result->status}};
    }
}

void to_json(json& value, const BatchTable& table) {
    value = {
        {"label", table.label},
        {"by", table.by},
        {"columns", table.columns},
        {"unshown", table.unshown},
        {"rows", table.rows},
        {"speedups", json::array()}};
    for (const auto& gain : table.gains) {
        json one = gain.speedup;
        one.update({{std::string(to_string(table.by)), gain.column}, {"rule", Rule::paired_v1}});
        one["by_batch"] = gain.by_batch;
        value["speedups"].push_back(std::move(one));
    }
}

void to_json(json& value, const ScalingRow& row) {
    value = {
        {"model", row.result->model},
        {"batch", row.result->batch},
        {"workers", row.workers},
        {"throughput_per_s", row.throughput_per_s},
        {"scaling_factor", row.factor},
        {"parallel_efficiency", row.efficiency}};
}

void to_json(json& value, const ScalingMean& mean) {
    value = {
        {"workers", mean.workers},
        {"rule", Rule::paired_v1},
        {"scaling_factor", mean.factor},
        {"parallel_efficiency", mean.efficiency}};
}

void to_json(json& value, const ScalingTable& table) {
    value = {
        {"label", table.label},
        {"workers", table.workers},
        {"rows", table.rows},
        {"means", table.means}};
}

void to_json(json& value, const Breakdown& breakdown) {
    if (breakdown.rows.empty()) return;
    value = {{"rule", Rule::paired_v1}, {"rows", breakdown.rows}, {"left_out", breakdown.left_out}};
}

bool Summary::empty() const {
    return dashboard.empty() && batches.empty() && scaling.empty() && breakdown.rows.empty() &&
           domains.empty();
}

namespace {

/// What published tables call the way that nothing was done to.
std::string base_of(const std::vector<Result>& results, const std::string& wish) {
    const auto is_there = [&](const std::string& name) {
        return std::any_of(results.begin(), results.end(), [&](const Result& result) {
            return result.backend == name;
        });
    };
    if (!wish.empty() && is_there(wish)) return wish;
    for (const char* name : {"eager", "no compile", "uncompiled", "baseline"}) {
        if (is_there(name)) return name;
    }
    return wish.empty() ? "eager" : wish;
}

/// Of a list that says of its models no more than their domains; else nothing.
std::map<std::string, std::size_t> domains_of(const std::vector<Result>& results) {
    std::map<std::string, std::size_t> domains;
    for (const auto& result : results) {
        if (result.domain.empty() || !result.values.empty() || !result.status.empty()) return {};
        ++domains[result.domain];
    }
    return domains;
}

}  // namespace

Summary summarize(const ResultList& list, const SummaryWishes& wishes) {
    const std::string base = base_of(list.results(), wishes.base);
    Summary summary;
    summary.base = base;
    summary.results = with_ratios(list.results(), base);
    summary.notes = list.notes();
    summary.dashboard = make_dashboard(summary.results, base, wishes.rules);
    summary.batches = make_batch_tables(summary.results, base);
    summary.across = make_tables_across(summary.results, wishes.base);
    summary.scaling = make_scaling_tables(summary.results);
    summary.breakdown = make_breakdown(summary.results);
    summary.domains = domains_of(summary.results);
    return summary;
}

json summary_json(const Summary& summary) {
    json dashboard = json::object();
    for (const auto& suite : summary.dashboard) dashboard[suite.label] = suite;
    return {
        {"dashboard", dashboard},
        {"batches", summary.batches},
        {"across", summary.across},
        {"scaling", summary.scaling},
        {"breakdown", summary.breakdown},
        {"models", {{"total", summary.results.size()}, {"domains", summary.domains}}},
        {"results", summary.results},
        {"machines", machine_lines(summary.results)},
        {"caveats", caveats_of(summary.results, summary.base)},
        {"notes", summary.notes}};
}

}  // namespace vigil::tables
