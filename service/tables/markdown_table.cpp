#include "service/tables/markdown_table.hpp"

#include <algorithm>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"

namespace vigil::tables {

namespace {

std::string cell_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    }
    return out;
}

}  // namespace

MarkdownTable::MarkdownTable(std::vector<std::string> headers) {
    add(std::move(headers));
}

void MarkdownTable::add(std::vector<std::string> cells) {
    VIGIL_ASSERT(rows_.empty() || cells.size() == rows_.front().size());
    for (auto& cell : cells) cell = cell_text(cell);
    rows_.push_back(std::move(cells));
}

std::string MarkdownTable::text() const {
    std::vector<std::size_t> widths(rows_.front().size(), 4);
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], text::columns(row[i]));
        }
    }
    std::string out;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        out += "|";
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const std::string& cell = rows_[r][i];
            const std::string room(widths[i] - text::columns(cell), ' ');
            out += " " + (i == 0 ? cell + room : room + cell) + " |";
        }
        out += "\n";
        if (r > 0) continue;
        out += "|";
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const std::string dashes(widths[i] - 1, '-');
            out += i == 0 ? " -" + dashes + " |" : " " + dashes + ": |";
        }
        out += "\n";
    }
    return out;
}

}  // namespace vigil::tables
