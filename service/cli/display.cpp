#include "service/cli/display.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "schema/model/error.hpp"

namespace vigil::cli {

namespace {

constexpr char32_t not_utf8 = 0xFFFD;

/// The code point at `at`, and how many bytes it takes.
std::pair<char32_t, std::size_t> decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {not_utf8, 1};
    char32_t value = first & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return {not_utf8, 1};
        value = (value << 6) | (byte(at + i) & 0x3Fu);
    }
    static constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < smallest[length] || value > 0x10FFFF || surrogate) return {not_utf8, 1};
    return {value, length};
}

bool is_hidden(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto [c, length] = decode(text, at);
        const std::string_view bytes = text.substr(at, length);
        at += length;
        if (c == '\n' || c == '\t') {
            out += lines == Lines::many ? static_cast<char>(c) : ' ';
        } else if (c == not_utf8) {
            out += "\uFFFD";
        } else if (!is_hidden(c)) {
            out += bytes;
        }
    }
    return out;
}

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

std::string cut(const std::string& text, std::size_t width) {
    if (width_of(text) <= width) return text;
    if (width == 0) return "";
    std::size_t shown = 0;
    std::size_t at = 0;
    while (at < text.size() && shown + 1 < width) {
        at += decode(text, at).second;
        ++shown;
    }
    return text.substr(0, at) + "\u2026";
}

std::string toned(const std::string& text, Tone tone, bool colours) {
    if (!colours || tone == Tone::plain) return text;
    const char* code = tone == Tone::good ? "32" : tone == Tone::bad ? "31" : "2";
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

Tone tone_of(std::string_view state) {
    static constexpr std::array<std::string_view, 5> good{
        "done", "active", "closed", "recovered", "sent"};
    static constexpr std::array<std::string_view, 8> bad{
        "failed", "parked", "quarantined", "reported", "attributed", "range", "confirmed", "dead"};
    if (std::find(good.begin(), good.end(), state) != good.end()) return Tone::good;
    if (state.find("not seen") != state.npos) return Tone::bad;
    if (std::find(bad.begin(), bad.end(), state) != bad.end()) return Tone::bad;
    return Tone::plain;
}

std::string duration(std::int64_t seconds) {
    if (seconds < 0) seconds = 0;
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
    if (seconds < 86400) return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
    return fmt::format("{} d {} h", seconds / 86400, seconds / 3600 % 24);
}

std::string ago(std::int64_t then_s, std::int64_t now_s) {
    const std::int64_t distance = now_s - then_s;
    const std::int64_t size = distance < 0 ? -distance : distance;
    if (size < 2) return "now";
    std::string text = fmt::format("{} s", size);
    if (size >= 60) text = fmt::format("{} min", size / 60);
    if (size >= 3600) text = fmt::format("{} h", size / 3600);
    if (size >= 2 * 86400) text = fmt::format("{} d", size / 86400);
    return distance < 0 ? "in " + text : text + " ago";
}

std::string utc(std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (gmtime_r(&time, &parts) == nullptr) return "?";
    return fmt::format(
        "{:04}-{:02}-{:02} {:02}:{:02}",
        parts.tm_year + 1900,
        parts.tm_mon + 1,
        parts.tm_mday,
        parts.tm_hour,
        parts.tm_min);
}

std::int64_t parse_day(const std::string& day) {
    std::tm parts{};
    const char* end = strptime(day.c_str(), "%Y-%m-%d", &parts);
    const bool read = day.size() == 10 && end != nullptr && *end == '\0';
    const std::int64_t seconds = read ? std::int64_t{timegm(&parts)} : 0;
    if (!read || utc(seconds).substr(0, 10) != day) {
        throw Error(Errc::invalid_argument, "'" + day + "' is not a day; write it as YYYY-MM-DD");
    }
    return seconds;
}

std::string percent(double ratio) {
    const double tenths = std::round(1000 * ratio + (ratio < 0 ? -1e-9 : 1e-9));
    return fmt::format("{}{:.1f} %", tenths > 0 ? "+" : "", tenths == 0 ? 0.0 : tenths / 10);
}

void Table::add(const std::vector<std::string>& cells) {
    VIGIL_ASSERT(cells.size() == headers_.size());
    std::vector<std::string> row;
    for (const auto& cell : cells) row.push_back(printable(cell));
    rows_.push_back(std::move(row));
}

std::string Table::text(std::size_t width, bool colours, int toned_column) const {
    std::vector<std::size_t> widths;
    for (const auto& header : headers_) widths.push_back(width_of(header));
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    }
    const std::size_t last = headers_.size() - 1;
    std::size_t before_last = 0;
    for (std::size_t i = 0; i < last; ++i) before_last += widths[i] + 2;
    const std::size_t room = width > before_last + 10 ? width - before_last : 10;
    const auto line = [&](const std::vector<std::string>& cells, Tone whole, bool is_row) {
        std::string out;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string cell = i == last && width > 0 ? cut(cells[i], room) : cells[i];
            const bool own = is_row && static_cast<int>(i) == toned_column;
            out += toned(cell, own ? tone_of(cell) : whole, colours);
            if (i != last) out += std::string(widths[i] - width_of(cell) + 2, ' ');
        }
        while (!out.empty() && out.back() == ' ') out.pop_back();
        return out + "\n";
    };
    std::string out = line(headers_, Tone::dim, false);
    for (const auto& row : rows_) out += line(row, Tone::plain, true);
    return out;
}

}  // namespace vigil::cli
