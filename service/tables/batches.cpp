#include "service/tables/batches.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "service/tables/ways.hpp"

namespace vigil::tables {

namespace {

constexpr std::size_t max_columns_shown = 16;

bool is_timed(const Result& result) {
    return result.get(Field::time_s) || is_oom(result.status);
}

bool has_right_time(const Result* result) {
    if (result == nullptr || result->get(Field::time_s).value_or(0) <= 0) return false;
    return result->status.empty() || is_passing(*result);
}

std::string why_not_timed(const Result* result, const std::string& column) {
    if (result == nullptr) return "not measured with " + column;
    const bool failed = !result->status.empty() && !is_passing(*result);
    return column + ": " + (failed ? result->status : "no time");
}

/// Where others have a name, one without is the usual one.
std::string column_of(const Result& result, Part by) {
    const std::string name = part_of(result, by);
    return name.empty() && by != Part::backend ? "default" : name;
}

std::vector<std::string> columns_of(const WayGroup& group, Part by, const std::string& base) {
    std::vector<std::string> columns;
    for (const auto* result : group.results) {
        const std::string name = column_of(*result, by);
        if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
            columns.push_back(name);
        }
    }
    const auto at = std::find(columns.begin(), columns.end(), base);
    if (at != columns.end()) std::rotate(columns.begin(), at, at + 1);
    return columns;
}

std::vector<BatchRow> rows_of(
    const WayGroup& group, Part by, const std::vector<std::string>& columns) {
    std::vector<BatchRow> rows;
    std::map<std::pair<std::string, std::int64_t>, std::size_t> known;
    std::map<std::string, std::size_t> first_row;  // of a model: its batches stay together
    for (const auto* result : group.results) {
        const auto column = std::find(columns.begin(), columns.end(), column_of(*result, by));
        if (column == columns.end()) continue;
        const auto [at, is_new] =
            known.emplace(std::pair{result->model, result->batch}, rows.size());
        if (is_new) {
            first_row.emplace(result->model, rows.size());
            rows.push_back({result->model, result->batch, {}});
            rows.back().cells.resize(columns.size());
        }
        rows[at->second].cells[std::size_t(column - columns.begin())] = result;
    }
    std::stable_sort(rows.begin(), rows.end(), [&](const BatchRow& a, const BatchRow& b) {
        return std::pair{first_row.at(a.model), a.batch} <
               std::pair{first_row.at(b.model), b.batch};
    });
    return rows;
}

ColumnGain gain_of(const BatchTable& table, std::size_t column) {
    ColumnGain gain;
    gain.column = table.columns[column];
    std::vector<double> ratios;
    std::map<std::int64_t, std::vector<double>> by_batch;
    for (const auto& row : table.rows) {
        const Result* base = row.cells.front();
        const Result* mine = row.cells[column];
        if (has_right_time(base) && has_right_time(mine)) {
            ratios.push_back(*base->get(Field::time_s) / *mine->get(Field::time_s));
            by_batch[row.batch].push_back(ratios.back());
            continue;
        }
        const std::string batch = row.batch == unbatched ? " (unbatched)"
                                  : row.batch > 0        ? fmt::format(" (batch {})", row.batch)
                                                         : "";
        gain.speedup.left_out.push_back(
            {row.model + batch,
             has_right_time(base) ? why_not_timed(mine, gain.column)
                                  : why_not_timed(base, table.columns.front())});
    }
    gain.speedup.count = ratios.size();
    if (!ratios.empty()) gain.speedup.value = geometric_mean(ratios);
    for (const auto& [batch, some] : by_batch) {
        if (by_batch.size() < 2) break;
        gain.by_batch.push_back({batch, geometric_mean(some), some.size()});
    }
    return gain;
}

std::vector<const Result*> timed_of(const std::vector<Result>& results) {
    std::vector<const Result*> timed;
    for (const auto& result : results) {
        if (is_timed(result)) timed.push_back(&result);
    }
    return timed;
}

/// @param base  of the ratios; a table without it has none
BatchTable table_of(const WayGroup& group, Part by, const std::string& base) {
    BatchTable table;
    table.label = group.label;
    table.by = by;
    table.columns = columns_of(group, by, base);
    if (table.columns.size() > max_columns_shown) {
        const auto end = table.columns.begin() + max_columns_shown;
        table.unshown.assign(end, table.columns.end());
        table.columns.erase(end, table.columns.end());
    }
    table.rows = rows_of(group, by, table.columns);
    const bool has_base = table.columns.front() == base;
    for (std::size_t i = 1; has_base && i < table.columns.size(); ++i) {
        table.gains.push_back(gain_of(table, i));
    }
    return table;
}

}  // namespace

std::string title_of(Part by) {
    return by == Part::backend ? "batch" : std::string(to_string(by));
}

std::vector<BatchTable> make_batch_tables(
    const std::vector<Result>& results, const std::string& base) {
    std::vector<BatchTable> tables;
    for (const auto& group : group_by_way(timed_of(results), {Part::backend})) {
        tables.push_back(table_of(group, Part::backend, base));
    }
    return tables;
}

std::vector<BatchTable> make_tables_across(
    const std::vector<Result>& results, const std::string& base) {
    std::vector<BatchTable> tables;
    const auto timed = timed_of(results);
    for (const Part by : {Part::device, Part::version, Part::setting}) {
        for (const auto& group : group_by_way(timed, {by})) {
            const auto columns = columns_of(group, by, base);
            auto table = table_of(group, by, columns.front());
            const bool any =
                std::any_of(table.gains.begin(), table.gains.end(), [](const ColumnGain& gain) {
                    return gain.speedup.count > 0;
                });
            if (any) tables.push_back(std::move(table));
        }
    }
    return tables;
}

}  // namespace vigil::tables
