#include "schema/text/lines.hpp"

namespace vigil::text {

std::string one_line(std::string_view text, std::size_t most) {
    std::string line;
    bool gap = false;
    while (!text.empty()) {
        const auto c = first_character(text);
        text.remove_prefix(c.bytes);
        if (is_space(c.code)) {
            gap = !line.empty();
            continue;
        }
        if (is_hidden(c.code)) continue;
        std::string next(gap ? 1 : 0, ' ');
        append(next, c.code);
        if (line.size() + next.size() > most) return line + "...";
        line += next;
        gap = false;
    }
    return line;
}

std::string telling_line(std::string_view text, std::size_t most) {
    const auto error = text.find("error:");
    const auto end = text.find_last_not_of(" \t\r\n");
    if (end == text.npos) return "";
    const auto within = error == text.npos ? end : error;
    const auto start = text.rfind('\n', within);
    const auto from = start == text.npos ? 0 : start + 1;
    return one_line(text.substr(from, text.find('\n', within) - from), most);
}

std::string lines(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto c = first_character(text);
        text.remove_prefix(c.bytes);
        if (c.code == '\n' || c.code == '\t' || !is_hidden(c.code)) append(out, c.code);
    }
    return out;
}

std::string fitted(const std::string& text, std::size_t width) {
    if (columns(text) <= width) return text;
    if (width == 0) return "";
    std::size_t end = 0;
    for (std::size_t used = 0;;) {
        const auto next = std::string_view(text).substr(end);
        const auto bytes = first_character(next).bytes;
        used += columns(next.substr(0, bytes));
        if (used + 1 > width) break;
        end += bytes;
    }
    return text.substr(0, end) + "\u2026";
}

}  // namespace vigil::text
