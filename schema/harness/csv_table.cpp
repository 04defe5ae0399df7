#include "schema/harness/csv_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"

namespace vigil::harness {

CsvTable::CsvTable(std::string_view text, const std::string& file)
    : reader_(text, file), file_(file) {
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
    auto record = reader_.next();
    if (!record) return false;
    cells_ = std::move(*record);
    if (cells_.size() == columns_.size()) return true;
    throw Error(
        Errc::invalid_argument,
        fmt::format(
            "reading {}: line {}: {} cells, the header has {}",
            file_,
            cells_.front().at.line,
            cells_.size(),
            columns_.size()));
}

std::optional<std::size_t> CsvTable::place(std::initializer_list<std::string_view> names) const {
    for (const auto name : names) {
        const auto found = std::ranges::find(columns_, name);
        if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
    }
    return std::nullopt;
}

std::string CsvTable::cell(std::initializer_list<std::string_view> names) const {
    const auto at = place(names);
    return at ? cells_[*at].text : "";
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
    const auto at = cells_[place(names).value_or(0)].at;
    throw Error(
        Errc::invalid_argument,
        fmt::format("reading {}: line {}, column {}: {}", file_, at.line, at.column, why));
}

}  // namespace vigil::harness
