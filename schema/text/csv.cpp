#include "schema/text/csv.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/model/error.hpp"

namespace vigil::text {

CsvReader::CsvReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
}

std::optional<std::vector<CsvCell>> CsvReader::next() {
    while (at_ < text_.size()) {
        std::vector<CsvCell> cells{cell()};
        while (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            if (cells.size() == max_columns) refuse(place(), "too many columns");
            cells.push_back(cell());
        }
        end_line();
        if (cells.size() > 1 || !cells.front().text.empty()) return cells;
    }
    return std::nullopt;
}

void CsvReader::skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    end_line();
}

CsvCell CsvReader::cell() {
    skip_blanks();
    CsvCell cell{"", place()};
    if (at_ < text_.size() && text_[at_] == '"') {
        cell.text = quoted(cell.at);
        skip_blanks();
        if (at_ < text_.size() && text_.find_first_of(",\r\n", at_) != at_) {
            refuse(place(), "after a closing quote comes a comma or the line's end");
        }
        return cell;
    }
    const auto end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    cell.text = text_.substr(at_, end - at_);
    if (const auto quote = cell.text.find('"'); quote != cell.text.npos) {
        at_ += quote;
        refuse(place(), "a quote inside of a cell without quotes");
    }
    cell.text.resize(cell.text.find_last_not_of(" \t") + 1);
    at_ = end;
    return cell;
}

std::string CsvReader::quoted(FilePosition begin) {
    std::string text;
    const auto at = at_;
    const auto line = line_;
    const auto line_begin = line_begin_;
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
    at_ = at;
    line_ = line;
    line_begin_ = line_begin;
    refuse(begin, "a quote that is not closed");
}

void CsvReader::skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
}

void CsvReader::end_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
    line_begin_ = at_;
}

void CsvReader::refuse(FilePosition at, const std::string& why) const {
    throw Error(
        Errc::invalid_argument,
        fmt::format("reading {}: line {}, column {}: {}", file_, at.line, at.column, why));
}

}  // namespace vigil::text
