#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schema/harness/console/readers.hpp"
#include "schema/harness/console/words.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/csv.hpp"

namespace vigil::harness {

namespace {

struct GoogleRow {
    std::string name;
    PrintedFigure real;
    PrintedFigure cpu;
    std::map<std::string, double> counters = {};
};

/// The names of what stands behind "Iterations"; nothing: the line is no head.
std::optional<LineWords> google_head(const LineWords& words) {
    if (words.size() < 4 || words[0] != "Benchmark") return std::nullopt;
    if (words[1] != "Time" || words[2] != "CPU" || words[3] != "Iterations") return std::nullopt;
    LineWords counters(words.begin() + 4, words.end());
    std::erase(counters, "UserCounters...");
    return counters;
}

double thousand_of(std::string_view counter) {
    return counter == "bytes_per_second" ? 1024 : 1000;
}

/// "name=value", or by the columns of a head.
std::map<std::string, double> counters_in(
    const LineWords& words, std::size_t from, const LineWords& head) {
    std::map<std::string, double> counters;
    for (std::size_t i = from; i < words.size(); ++i) {
        const auto equals = words[i].find('=');
        if (equals == words[i].npos) continue;
        const auto name = words[i].substr(0, equals);
        const auto value = scaled_number(words[i].substr(equals + 1), thousand_of(name));
        if (value) counters[std::string(name)] = *value;
    }
    // A counter that a benchmark lacks leaves its column empty: then no column is sure.
    if (words.size() - from < head.size()) return counters;
    std::map<std::string, double> columns;
    for (std::size_t i = 0; i < head.size(); ++i) {
        const auto value = scaled_number(words[from + i], thousand_of(head[i]));
        if (!value) return counters;
        columns[std::string(head[i])] = *value;
    }
    return columns.empty() ? counters : columns;
}

/// Where a time, a CPU time and a count stand behind one another.
std::optional<GoogleRow> google_row(
    std::string_view line, const LineWords& words, const LineWords& head) {
    for (std::size_t i = 1; i + 4 < words.size(); ++i) {
        if (!is_count(words[i + 4]) || !time_unit(words[i + 1]) || !time_unit(words[i + 3])) {
            continue;
        }
        const auto real = measured_at(words, i);
        const auto cpu = measured_at(words, i + 2);
        if (!real || !cpu) continue;
        return GoogleRow{
            std::string(before(line, words[i])), *real, *cpu, counters_in(words, i + 5, head)};
    }
    return std::nullopt;
}

/// Of the CSV; any other column is a counter.
constexpr std::string_view own_columns[] = {
    "name",
    "iterations",
    "real_time",
    "cpu_time",
    "time_unit",
    "label",
    "error_occurred",
    "error_message"};

struct GoogleAggregate {
    std::string base;
    std::string kind;
};

/// "sum_median" is of "sum" where that was measured too, or has its other aggregates.
std::optional<GoogleAggregate> aggregate_of(
    const std::string& name, const std::set<std::string>& all) {
    for (const std::string kind : {"mean", "median", "stddev", "cv"}) {
        if (!name.ends_with("_" + kind)) continue;
        const std::string base = name.substr(0, name.size() - kind.size() - 1);
        const bool siblings = all.contains(base + "_mean") && all.contains(base + "_median") &&
                              all.contains(base + "_stddev");
        if (all.contains(base) || siblings) return GoogleAggregate{base, kind};
    }
    return std::nullopt;
}

void take_google(const std::string& said, const GoogleRow& row, Collector& into, bool summary) {
    const auto name = into.fit({said}).benchmark;
    const auto put =
        [&](const std::string& quantity, const std::string& unit, double value, ReadingKind kind) {
            if (summary) return into.add_summary({name, quantity}, unit, value, kind);
            into.add({name, quantity}, unit, value, kind);
        };
    put("", row.real.unit, row.real.value, {});
    put("CPU time", row.cpu.unit, row.cpu.value, {.metric = Metric::cpu_time_ns});
    for (const auto& [counter, value] : row.counters) put(counter, "", value, {});
}

void keep_row(
    GoogleRow&& row,
    std::vector<GoogleRow>& rows,
    std::set<std::string>& names,
    text::ReadBudget& budget) {
    auto bytes = 2 * text::heap_bytes(row.name) + sizeof row.name + text::tree_bytes;
    for (const auto& [counter, value] : row.counters) {
        bytes += sizeof counter + sizeof value + text::tree_bytes + text::heap_bytes(counter);
    }
    budget.make(bytes);
    text::make_room(rows, budget);
    names.insert(row.name);
    rows.push_back(std::move(row));
}

void take_rows(
    const std::vector<GoogleRow>& rows, const std::set<std::string>& names, Collector& into) {
    for (const auto& row : rows) {
        const auto aggregate = aggregate_of(row.name, names);
        if (!aggregate) {
            take_google(row.name, row, into, false);
        } else if (aggregate->kind == "median") {
            take_google(aggregate->base, row, into, true);
        }
    }
}

/// "BM_sum   ERROR OCCURRED: 'why'".
void take_google_failure(std::string_view line, Collector& into) {
    constexpr std::string_view mark = "ERROR OCCURRED: ";
    const auto at = line.find(mark);
    if (at == line.npos || at == 0) return;
    into.add_failure(
        {std::string(text::trimmed(line.substr(0, at)))},
        "ns",
        std::string(text::trimmed(line.substr(at + mark.size()))));
}

}  // namespace

void read_google_table(const ShownLines& lines, TableHead head, Collector& into) {
    std::optional<LineWords> columns;
    if (head == TableHead::known) columns.emplace();
    text::BudgetLoan loan(into.budget());
    std::vector<GoogleRow> rows;
    std::set<std::string> names;
    for (const auto line : lines) {
        const auto words = words_of(line);
        if (auto found = google_head(words)) columns = std::move(found);
        if (!columns) continue;
        auto row = google_row(line, words, *columns);
        if (!row) {
            take_google_failure(line, into);
            continue;
        }
        keep_row(std::move(*row), rows, names, into.budget());
    }
    loan.end();
    take_rows(rows, names, into);
}

void read_google_csv(const ShownLines& lines, Collector& into) {
    constexpr std::string_view head = "name,iterations,real_time,cpu_time,time_unit,";
    const auto first =
        std::ranges::find_if(lines, [&](std::string_view line) { return line.starts_with(head); });
    if (first == lines.end()) return;
    const std::string_view text(
        first->data(), static_cast<std::size_t>(lines.back().end() - first->begin()));
    const std::string name = "the table";
    text::CsvReader reader(text, name);
    const auto header = reader.next();
    text::BudgetLoan loan(into.budget());
    std::vector<GoogleRow> rows;
    std::set<std::string> names;
    while (const auto cells = reader.next()) {
        // A row of an error lacks the cells of counters.
        std::map<std::string, std::string> by_name;
        for (std::size_t i = 0; i < std::min(header->size(), cells->size()); ++i) {
            by_name[(*header)[i].text] = (*cells)[i].text;
        }
        const std::string& benchmark = by_name["name"];
        if (by_name["error_occurred"] == "true") {
            into.add_failure({benchmark}, "ns", by_name["error_message"]);
            continue;
        }
        const auto real = number_in(by_name["real_time"]);
        const auto cpu = number_in(by_name["cpu_time"]);
        const std::string& unit = by_name["time_unit"];
        if (benchmark.empty() || !real || !cpu || !time_unit(unit)) continue;
        GoogleRow row{benchmark, {*real, unit}, {*cpu, unit}};
        for (const auto& [column, cell] : by_name) {
            const auto value = number_in(cell);
            if (value && std::ranges::count(own_columns, column) == 0)
                row.counters[column] = *value;
        }
        keep_row(std::move(row), rows, names, into.budget());
    }
    loan.end();
    take_rows(rows, names, into);
}

}  // namespace vigil::harness
