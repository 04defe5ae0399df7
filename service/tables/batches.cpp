#include "service/tables/batches.hpp"

#include <algorithm>
#include <map>

#include "service/tables/ways.hpp"

namespace vigil::tables {

namespace {

constexpr std::size_t max_backends = 16;  // columns of one table

bool is_timed(const Result& result) {
    return result.get(Field::time_s) || is_oom(result.status);
}

bool has_right_time(const Result* result) {
    if (result == nullptr || result->get(Field::time_s).value_or(0) <= 0) return false;
    return result->status.empty() || is_passing(*result);
}

std::string why_not_timed(const Result* result, const std::string& backend) {
    if (result == nullptr) return "not measured with " + backend;
    const bool failed = !result->status.empty() && !is_passing(*result);
    return backend + ": " + (failed ? result->status : "no time");
}

std::vector<std::string> backends_of(const WayGroup& group, const std::string& base) {
    std::vector<std::string> backends;
    for (const auto* result : group.results) {
        if (std::find(backends.begin(), backends.end(), result->backend) == backends.end() &&
            backends.size() < max_backends) {
            backends.push_back(result->backend);
        }
    }
    const auto at = std::find(backends.begin(), backends.end(), base);
    if (at != backends.end()) std::rotate(backends.begin(), at, at + 1);
    return backends;
}

std::vector<BatchRow> rows_of(const WayGroup& group, const std::vector<std::string>& backends) {
    std::vector<BatchRow> rows;
    std::map<std::pair<std::string, std::int64_t>, std::size_t> known;
    std::map<std::string, std::size_t> first_row;  // of a model: its batches stay together
    for (const auto* result : group.results) {
        const auto column = std::find(backends.begin(), backends.end(), result->backend);
        if (column == backends.end()) continue;
        const auto [at, is_new] =
            known.emplace(std::pair{result->model, result->batch}, rows.size());
        if (is_new) {
            first_row.emplace(result->model, rows.size());
            rows.push_back({result->model, result->batch, {}});
            rows.back().backends.resize(backends.size());
        }
        rows[at->second].backends[std::size_t(column - backends.begin())] = result;
    }
    std::stable_sort(rows.begin(), rows.end(), [&](const BatchRow& a, const BatchRow& b) {
        return std::pair{first_row.at(a.model), a.batch} <
               std::pair{first_row.at(b.model), b.batch};
    });
    return rows;
}

BackendGain gain_of(const BatchTable& table, std::size_t column) {
    BackendGain gain;
    gain.backend = table.backends[column];
    std::vector<double> ratios;
    for (const auto& row : table.rows) {
        const Result* base = row.backends.front();
        const Result* mine = row.backends[column];
        if (has_right_time(base) && has_right_time(mine)) {
            ratios.push_back(*base->get(Field::time_s) / *mine->get(Field::time_s));
            continue;
        }
        const std::string name =
            row.batch > 0 ? row.model + " (batch " + std::to_string(row.batch) + ")" : row.model;
        gain.speedup.left_out.push_back(
            {name,
             has_right_time(base) ? why_not_timed(mine, gain.backend)
                                  : why_not_timed(base, table.backends.front())});
    }
    gain.speedup.count = ratios.size();
    if (!ratios.empty()) gain.speedup.value = geometric_mean(ratios);
    return gain;
}

}  // namespace

std::vector<BatchTable> make_batch_tables(
    const std::vector<Result>& results, const std::string& base) {
    std::vector<const Result*> timed;
    for (const auto& result : results) {
        if (is_timed(result)) timed.push_back(&result);
    }
    std::vector<BatchTable> tables;
    for (const auto& group : group_by_way(timed, {Part::backend})) {
        BatchTable table;
        table.label = group.label;
        table.backends = backends_of(group, base);
        table.rows = rows_of(group, table.backends);
        const bool has_base = table.backends.front() == base;
        for (std::size_t i = 1; has_base && i < table.backends.size(); ++i) {
            table.gains.push_back(gain_of(table, i));
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

}  // namespace vigil::tables
