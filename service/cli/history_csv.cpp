#include <array>
#include <optional>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/cli/history_rows.hpp"

namespace vigil::cli {

namespace {

struct CsvCell {
    std::string text;
    FilePlace at;
};

/// Takes a CSV apart (RFC 4180): cells may stand in quotes, and hold commas and line ends there.
class CsvReader {
  public:
    CsvReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    /// The next record that is not empty; nothing at the end.
    std::optional<std::vector<CsvCell>> next() {
        while (at_ < text_.size()) {
            std::vector<CsvCell> cells{cell()};
            while (at_ < text_.size() && text_[at_] == ',') {
                ++at_;
                cells.push_back(cell());
            }
            end_line();
            if (cells.size() > 1 || !cells.front().text.empty()) return cells;
        }
        return std::nullopt;
    }

  private:
    FilePlace place() const { return {line_, static_cast<int>(at_ - line_begin_) + 1}; }

    CsvCell cell() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
        CsvCell cell{"", place()};
        if (at_ < text_.size() && text_[at_] == '"') {
            cell.text = quoted(cell.at);
            while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
            if (at_ < text_.size() && text_.find_first_of(",\r\n", at_) != at_) {
                refuse_at(file_, place(), "after a closing quote comes a comma or the line's end");
            }
            return cell;
        }
        const auto end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        cell.text = text_.substr(at_, end - at_);
        const auto quote = cell.text.find('"');
        if (quote != cell.text.npos) {
            at_ += quote;
            refuse_at(file_, place(), "a quote inside of a cell without quotes");
        }
        cell.text.resize(cell.text.find_last_not_of(" \t") + 1);
        at_ = end;
        return cell;
    }

    std::string quoted(FilePlace begin) {
        std::string text;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"') {
                ++at_;
                if (at_ >= text_.size() || text_[at_] != '"') return text;
            } else if (text_[at_] == '\n') {
                ++line_;
                line_begin_ = at_ + 1;
            }
            text += text_[at_];
        }
        refuse_at(file_, begin, "a quote that is not closed");
    }

    void end_line() {
        if (at_ < text_.size() && text_[at_] == '\r') ++at_;
        if (at_ < text_.size() && text_[at_] == '\n') ++at_;
        ++line_;
        line_begin_ = at_;
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    int line_ = 1;
};

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
    const std::vector<CsvCell>& cells, const std::string& file, HistoryRows& rows) {
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

bool flag_of_cell(const CsvCell& cell, const std::string& file) {
    if (cell.text == "1" || cell.text == "true" || cell.text == "yes") return true;
    if (cell.text.empty() || cell.text == "0" || cell.text == "false" || cell.text == "no") {
        return false;
    }
    refuse_at(file, cell.at, "a label must be 1 or 0, not '" + cell.text.substr(0, 60) + "'");
}

}  // namespace

void read_csv(std::string_view text, const std::string& file, HistoryRows& rows) {
    CsvReader reader(text, file);
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
        const auto cell = [&](CsvColumn column) -> const CsvCell* {
            return header.at[column] ? &(*cells)[*header.at[column]] : nullptr;
        };
        HistoryRow row;
        const CsvCell* reading = cell(csv_night);
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

}  // namespace vigil::cli
