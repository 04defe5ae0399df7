#include "service/cli/history/read_history.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/csv.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/common/option.hpp"
#include "service/cli/history/json_lines.hpp"

namespace vigil::cli {

namespace {

enum CsvColumn : std::size_t {
    csv_night,
    csv_value,
    csv_series,
    csv_environment,
    csv_unit,
    csv_definition,
    csv_label,
    csv_columns
};

/// Which cell holds what.
struct CsvHeader {
    std::array<std::optional<std::size_t>, csv_columns> at;
    std::size_t cells = 0;
};

std::optional<CsvColumn> column_of(std::string name) {
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (name == "night" || name == "timestamp") return csv_night;
    if (name == "value") return csv_value;
    if (name == "series") return csv_series;
    if (name == "environment" || name == "env") return csv_environment;
    if (name == "unit") return csv_unit;
    if (name == "definition") return csv_definition;
    if (name == "label") return csv_label;
    return std::nullopt;
}

CsvHeader read_header(
    const std::vector<text::CsvCell>& cells, const std::string& file, HistoryRows& rows) {
    CsvHeader header;
    header.cells = cells.size();
    std::string other;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto column = column_of(cells[i].text);
        if (!column) {
            other += (other.empty() ? "" : ", ") + cells[i].text;
        } else if (header.at[*column]) {
            refuse_at(file, cells[i].at, "the header names this column twice");
        } else {
            header.at[*column] = i;
        }
    }
    for (const auto& [column, name] :
         {std::pair{csv_night, "night' or 'timestamp"}, std::pair{csv_value, "value"}}) {
        if (header.at[column]) continue;
        refuse_at(file, cells.front().at, fmt::format("the header names no column '{}'", name));
    }
    if (!other.empty()) rows.note("columns that are not read: " + other);
    return header;
}

bool flag_of_cell(const text::CsvCell& cell, const std::string& file) {
    if (cell.text == "1" || cell.text == "true" || cell.text == "yes") return true;
    if (cell.text.empty() || cell.text == "0" || cell.text == "false" || cell.text == "no") {
        return false;
    }
    refuse_at(file, cell.at, "a label must be 1 or 0, not '" + cell.text.substr(0, 60) + "'");
}

/// @param file  its name, for messages
void read_csv(std::string_view text, const std::string& file, HistoryRows& rows) {
    text::CsvReader reader(text, file);
    const auto first = reader.next();
    if (!first) return;
    const CsvHeader header = read_header(*first, file, rows);
    if (header.at[csv_label]) rows.has_labels();
    while (const auto cells = reader.next()) {
        if (cells->size() != header.cells) {
            refuse_at(
                file,
                cells->back().at,
                fmt::format("{} cells, the header has {}", cells->size(), header.cells));
        }
        const auto cell = [&](CsvColumn column) -> const text::CsvCell* {
            return header.at[column] ? &(*cells)[*header.at[column]] : nullptr;
        };
        HistoryRow row;
        const text::CsvCell* reading = cell(csv_night);
        try {
            row.night = reading->text;
            row.key = parse_night(row.night);
            reading = cell(csv_value);
            row.value = parse_value(reading->text);
        } catch (const Error& error) {
            refuse_at(file, reading->at, error.what());
        }
        if (cell(csv_environment)) row.environment = cell(csv_environment)->text;
        if (cell(csv_unit)) row.unit = cell(csv_unit)->text;
        if (cell(csv_definition)) row.definition = cell(csv_definition)->text;
        if (cell(csv_label)) row.label = flag_of_cell(*cell(csv_label), file);
        rows.add(
            cell(csv_series) ? cell(csv_series)->text : "", std::move(row), cell(csv_night)->at);
    }
}

}  // namespace

const char* const history_help =
    "FILE, or - for standard input, is a CSV with a header, or JSON lines, one row or one series "
    "a\n"
    "line. Columns or keys, in any order:\n"
    "  night        a number, a day (2026-11-21) or a time (2026-11-21T04:05Z); or `timestamp`\n"
    "  value        a number; empty, nan or null: not measured that night\n"
    "  series       whose value it is; without it there is one series\n"
    "  environment  machine or toolchain; another one starts a new level without a change\n"
    "  unit         a name; a series has one\n"
    "  definition   of the metric; what is measured in another way is a series of its own\n"
    "  label        for backtest: 1 on the night on which something truly got worse, else 0\n"
    "A whole series a line: {\"series\":\"mlp\",\"values\":[1.5,null,1.6],\"nights\":[...],\n"
    "\"environments\":[...],\"labels\":[2],\"direction\":\"lower_is_better\",\"start\":30,\n"
    "\"samples\":[[1.4,1.6],[],[1.6]]}; all but `values` can be left out, labels are positions\n"
    "from 0. `vigil history` exports such lines from the daemon.\n"
    "Rows of one night of a series become their median.\n"
    "Or it is what a benchmark program wrote, one file a night, several FILEs: Google Benchmark,\n"
    "pytest-benchmark, hyperfine, criterion, JMH, Go, Catch2, BenchmarkDotNet, asv, TorchBench,\n"
    "dynamo's CSV, Bencher's format, or a CSV with the columns `benchmark` and `value`. Every\n"
    "quantity of a benchmark is a series, repetitions are its samples; nights have the files' own\n"
    "times, else the files' order.\n"
    "--rules FILE is a list like the config's series_rules, of which the first that fits decides:\n"
    "  [{\"benchmark\": \"gemm*\", \"variant\": \"FLOPS\", \"direction\": \"higher_is_better\"},\n"
    "   {\"variant\": \"Passed\", \"judge\": false}]\n"
    "with suite, benchmark, variant (the quantity), metric and machine_class as patterns of * and "
    "?.\n"
    "A series of which nothing says which way it is better is not judged.\n";

HistoryFile read_history(std::string_view text, const std::string& name) {
    if (text.size() > max_history_bytes) {
        refuse(fmt::format(
            "reading {}: {} bytes, at most {} are read", name, text.size(), max_history_bytes));
    }
    wire::check_utf8(text, name);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) refuse("reading " + name + ": it is empty");
    HistoryRows rows(name);
    if (text[first] == '{') {
        read_json_lines(text, name, rows);
    } else {
        read_csv(text, name, rows);
    }
    HistoryFile file = rows.take();
    if (file.series.empty()) refuse("reading " + name + ": it has a header and no rows");
    return file;
}

}  // namespace vigil::cli
