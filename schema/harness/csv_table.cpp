#include "schema/harness/csv_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"

namespace vigil::harness {

constexpr std::size_t longest_cell = std::size_t{1} << 20;

CsvTable::CsvTable(std::string_view text, const std::string& file) : reader_(text, file) {
    auto header = reader_.next();
    if (!header) return;
    cells_ = std::move(*header);
    for (const auto& cell : cells_) {
        const auto name = text::lower_case(cell.text);
        if (std::ranges::count(columns_, name) > 0 && !name.empty()) {
            refuse({name}, "the header names this column twice");
        }
        columns_.push_back(name);
    }
}

bool CsvTable::next() {
    cells_.clear();
    problem_.clear();
    try {
        auto record = reader_.next();
        if (!record) return false;
        cells_ = std::move(*record);
    } catch (const Error& error) {
        reader_.skip_line();
        const std::string_view why = error.what();
        problem_ = why.substr(std::min(why.rfind(": line "), why.size() - 2) + 2);
    }
    return true;
}

std::string CsvTable::place() const {
    return cells_.empty() ? "line" : fmt::format("line {}", cells_.front().at.line);
}

void CsvTable::check_cells() const {
    if (!problem_.empty()) throw Error(Errc::invalid_argument, problem_);
    for (const auto& cell : cells_) {
        if (cell.text.size() <= longest_cell) continue;
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "{}: a cell of {} bytes, at most {} fit", place(), cell.text.size(), longest_cell));
    }
    if (cells_.size() == columns_.size()) return;
    throw Error(
        Errc::invalid_argument,
        fmt::format("{}: {} cells, the header has {}", place(), cells_.size(), columns_.size()));
}

std::optional<std::size_t> CsvTable::column(std::initializer_list<std::string_view> names) const {
    for (const auto name : names) {
        const auto found = std::ranges::find(columns_, name);
        if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
    }
    return std::nullopt;
}

std::string CsvTable::cell(std::initializer_list<std::string_view> names) const {
    const auto at = column(names);
    return at && *at < cells_.size() ? cells_[*at].text : "";
}

std::optional<double> CsvTable::number(std::initializer_list<std::string_view> names) const {
    const auto word = text::lower_case(cell(names));
    if (word.empty() || word == "nan" || word == "na" || word == "null") return std::nullopt;
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data() + (word[0] == '+' ? 1 : 0), end, value);
    if (error != std::errc() || at != end || !std::isfinite(value)) {
        refuse(names, fmt::format("'{}' is no finite number", text::one_line(word, 60)));
    }
    return value;
}

void CsvTable::refuse(std::initializer_list<std::string_view> names, const std::string& why) const {
    const auto at = cells_[column(names).value_or(0)].at;
    throw Error(
        Errc::invalid_argument, fmt::format("line {}, column {}: {}", at.line, at.column, why));
}

}  // namespace vigil::harness
