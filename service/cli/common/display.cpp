#include "service/cli/common/display.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"

namespace vigil::cli {

std::string toned(const std::string& text, Tone tone, bool colours) {
    if (!colours || tone == Tone::plain) return text;
    const char* code = tone == Tone::good ? "32" : tone == Tone::bad ? "31" : "2";
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

Tone tone_of(std::string_view state) {
    static constexpr std::array<std::string_view, 5> good{
        "done", "active", "closed", "recovered", "sent"};
    static constexpr std::array<std::string_view, 7> bad{
        "failed", "parked", "quarantined", "reported", "attributed", "range", "dead"};
    if (std::find(good.begin(), good.end(), state) != good.end()) return Tone::good;
    if (state.find("not seen") != state.npos) return Tone::bad;
    if (std::find(bad.begin(), bad.end(), state) != bad.end()) return Tone::bad;
    return Tone::plain;
}

void Table::add(const std::vector<std::string>& cells) {
    VIGIL_ASSERT(cells.size() == headers_.size());
    std::vector<std::string> row;
    for (const auto& cell : cells) row.push_back(printable(cell));
    rows_.push_back(std::move(row));
}

std::string Table::text(std::size_t width, bool colours, int toned_column) const {
    std::vector<std::size_t> widths;
    for (const auto& header : headers_) widths.push_back(text::columns(header));
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], text::columns(row[i]));
        }
    }
    const std::size_t last = headers_.size() - 1;
    std::size_t before_last = 0;
    for (std::size_t i = 0; i < last; ++i) before_last += widths[i] + 2;
    const std::size_t room = width > before_last + 10 ? width - before_last : 10;
    const auto line = [&](const std::vector<std::string>& cells, Tone whole, bool is_row) {
        std::string out;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string cell =
                i == last && width > 0 ? text::fitted(cells[i], room) : cells[i];
            const bool own = is_row && static_cast<int>(i) == toned_column;
            out += toned(cell, own ? tone_of(cell) : whole, colours);
            if (i != last) out += std::string(widths[i] - text::columns(cell) + 2, ' ');
        }
        while (!out.empty() && out.back() == ' ') out.pop_back();
        return out + "\n";
    };
    std::string out = line(headers_, Tone::dim, false);
    for (const auto& row : rows_) out += line(row, Tone::plain, true);
    return out;
}

}  // namespace vigil::cli
