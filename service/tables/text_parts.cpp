#include "service/tables/text_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "schema/model/error.hpp"
#include "schema/text/capital.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/numbers.hpp"

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

std::string rounded_words(double value, int decimals) {
    return std::isfinite(value) ? text::rounded(value, decimals) : "-";
}

std::string suite_heading(
    const std::string& suite, const std::string& about, const std::string& label) {
    std::string way = label == "all results" ? "" : label;
    if (way.starts_with(suite)) way.erase(0, suite.size());
    if (!suite.empty() && way.starts_with(", ")) way.erase(0, 2);
    if (!way.empty()) way = " (" + way + ")";
    if (!suite.empty()) return "## " + suite + " suite: " + about + way + "\n\n";
    return "## " + text::with_capital(about) + way + "\n\n";
}

std::string number_words(std::optional<double> value, int decimals, const char* unit) {
    return value ? rounded_words(*value, decimals) + unit : "-";
}

std::string left_out_words(const std::vector<LeftOut>& left_out) {
    std::string words;
    for (const auto& one : left_out) {
        words += (words.empty() ? "" : ", ") + one.model + " (" + one.why + ")";
    }
    return words;
}

std::string left_out_clause(const std::vector<LeftOut>& left_out) {
    return left_out.empty() ? "" : "; left out: " + left_out_words(left_out);
}

std::string batch_words(std::int64_t batch) {
    if (batch == unbatched) return "unbatched";
    return batch > 0 ? std::to_string(batch) : "-";
}

std::string status_words(const Result& result) {
    if (is_oom(result.status) && result.status.size() <= 3) return "OOM";
    return result.status.empty() ? "-" : result.status;
}

std::string percent_words(std::optional<double> ratio) {
    return ratio ? rounded_words(100 * *ratio, 1) + "%" : "-";
}

}  // namespace vigil::tables
