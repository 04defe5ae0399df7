#include "service/tables/scaling.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "service/tables/ways.hpp"

namespace vigil::tables {

namespace {

std::optional<double> throughput_of(const Result& result) {
    if (!result.status.empty() && !is_passing(result)) return std::nullopt;
    const auto stated = result.get(Field::throughput_per_s);
    if (stated) return *stated > 0 ? stated : std::nullopt;
    const double time_s = result.get(Field::time_s).value_or(0);
    if (time_s <= 0 || result.batch <= 0 || result.gpus > 1) return std::nullopt;
    return static_cast<double>(result.batch) / time_s;
}

std::int64_t workers_of(const Result& result, Part workers) {
    const std::int64_t count = workers == Part::gpus        ? result.gpus
                               : workers == Part::processes ? result.processes
                                                            : result.threads;
    return std::max<std::int64_t>(1, count);
}

ScalingMean mean_of(const ScalingTable& table, std::int64_t workers) {
    ScalingMean mean;
    mean.workers = workers;
    std::vector<double> factors;
    std::vector<double> efficiencies;
    for (const auto& row : table.rows) {
        if (row.workers != workers) continue;
        if (!row.factor) {
            mean.factor.left_out.push_back({row.result->model, "not measured alone"});
            continue;
        }
        factors.push_back(*row.factor);
        efficiencies.push_back(*row.efficiency);
    }
    mean.efficiency.left_out = mean.factor.left_out;
    mean.factor.count = mean.efficiency.count = factors.size();
    if (factors.empty()) return mean;
    mean.factor.value = arithmetic_mean(factors);
    mean.efficiency.value = arithmetic_mean(efficiencies);
    return mean;
}

ScalingTable table_of(const WayGroup& group, Part workers) {
    using Key = std::pair<std::string, std::int64_t>;  // model, batch
    ScalingTable table;
    table.label = group.label;
    table.part = workers;
    table.workers = workers == Part::gpus        ? "GPUs"
                    : workers == Part::processes ? "Processes"
                                                 : "Threads";
    std::map<Key, double> alone;
    std::map<Key, std::size_t> order;
    for (const auto* result : group.results) {
        const Key key{result->model, result->batch};
        order.emplace(key, order.size());
        if (workers_of(*result, workers) == 1) alone.emplace(key, *throughput_of(*result));
    }
    std::vector<std::pair<std::size_t, ScalingRow>> rows;
    for (const auto* result : group.results) {
        const Key key{result->model, result->batch};
        ScalingRow row;
        row.result = result;
        row.workers = workers_of(*result, workers);
        row.throughput_per_s = *throughput_of(*result);
        // One process that was measured in the same run saw the same machine.
        auto one = result->get(Field::throughput_alone_per_s);
        if (const auto found = alone.find(key); !one && found != alone.end()) one = found->second;
        if (row.workers > 1 && one.value_or(0) > 0) {
            row.factor = scaling_factor(*one, row.throughput_per_s, row.workers);
            row.efficiency = parallel_efficiency(*one, row.throughput_per_s, row.workers);
        }
        rows.emplace_back(order.at(key), row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::pair{a.first, a.second.workers} < std::pair{b.first, b.second.workers};
    });
    for (const auto& [at, row] : rows) table.rows.push_back(row);
    std::vector<std::int64_t> counts;
    for (const auto& row : table.rows) {
        if (row.workers > 1) counts.push_back(row.workers);
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    for (const auto count : counts) table.means.push_back(mean_of(table, count));
    return table;
}

}  // namespace

double scaling_factor(double alone, double together, std::int64_t workers) {
    return (together / alone - 1) / static_cast<double>(workers - 1);
}

double parallel_efficiency(double alone, double together, std::int64_t workers) {
    return together / (static_cast<double>(workers) * alone);
}

std::vector<ScalingTable> make_scaling_tables(const std::vector<Result>& results) {
    std::vector<const Result*> with_throughput;
    bool any_gpus = false;
    bool any_processes = false;
    for (const auto& result : results) {
        if (!throughput_of(result)) continue;
        with_throughput.push_back(&result);
        any_gpus = any_gpus || result.gpus > 0;
        any_processes = any_processes || result.processes > 1;
    }
    const Part workers = any_gpus ? Part::gpus : any_processes ? Part::processes : Part::threads;
    // A process that has a GPU of its own counts as one.
    const std::set<Part> ignored =
        any_gpus ? std::set{Part::gpus, Part::processes} : std::set{workers};
    std::vector<ScalingTable> tables;
    for (const auto& group : group_by_way(with_throughput, ignored)) {
        const bool worth_it =
            std::any_of(group.results.begin(), group.results.end(), [&](const Result* result) {
                return result->get(Field::throughput_per_s) ||
                       workers_of(*result, workers) != workers_of(*group.results.front(), workers);
            });
        if (worth_it) tables.push_back(table_of(group, workers));
    }
    return tables;
}

}  // namespace vigil::tables
