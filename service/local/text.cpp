#include "service/local/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "bisect/history/one_line.hpp"

namespace vigil::local {

namespace {

/// The code point of valid UTF-8 at `at`, and its bytes.
std::pair<char32_t, std::size_t> code_point(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(at);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    char32_t value = first & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) value = (value << 6) | (byte(at + i) & 0x3Fu);
    return {value, length};
}

bool is_invisible(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

struct Scale {
    double factor;
    const char* unit;
};

std::string scaled(double value, std::span<const Scale> scales) {
    for (const Scale& scale : scales) {
        if (value < scale.factor && &scale != &scales.back()) continue;
        const double shown_value = value / scale.factor;
        const int digits = shown_value >= 100 ? 1 : shown_value >= 10 ? 2 : 3;
        return fmt::format("{:.{}f} {}", shown_value, digits, scale.unit);
    }
    return "";
}

}  // namespace

std::string shown(std::string_view text, std::size_t limit) {
    const std::string line = history::one_line(text, limit);
    std::string out;
    for (std::size_t at = 0; at < line.size();) {
        const auto [c, length] = code_point(line, at);
        if (!is_invisible(c)) out += line.substr(at, length);
        at += length;
    }
    return out;
}

std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

std::string fitted(const std::string& text, std::size_t width) {
    if (columns(text) <= width) return text;
    if (width == 0) return "";
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < width; ++i) at += code_point(text, at).second;
    return text.substr(0, at) + "…";
}

std::string shell_quoted(std::string_view text) {
    static constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+%@";
    if (!text.empty() && text.find_first_not_of(plain) == text.npos) return std::string(text);
    std::string single, escaped;
    bool visible = true;
    for (std::size_t at = 0; at < text.size();) {
        const auto [c, length] = code_point(text, at);
        const auto bytes = text.substr(at, length);
        at += length;
        single += c == '\'' ? "'\\''" : std::string(bytes);
        if (is_invisible(c)) {
            visible = false;
            for (const char byte : bytes) {
                escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
            }
        } else {
            if (c == '\'' || c == '\\') escaped += '\\';
            escaped += bytes;
        }
    }
    return visible ? "'" + single + "'" : "$'" + escaped + "'";
}

std::string value_text(double value, Metric metric) {
    static constexpr std::array times{
        Scale{1e9, "s"}, Scale{1e6, "ms"}, Scale{1e3, "µs"}, Scale{1, "ns"}};
    static constexpr std::array sizes{
        Scale{1024.0 * 1024 * 1024, "GiB"},
        Scale{1024.0 * 1024, "MiB"},
        Scale{1024, "KiB"},
        Scale{1, "bytes"}};
    switch (kind_of(metric)) {
        case MetricKind::time: return scaled(value, times);
        case MetricKind::memory: return scaled(value, sizes);
        case MetricKind::other: break;
    }
    return fmt::format("{:.5g}", value);
}

std::string percent_text(double ratio) {
    if (!std::isfinite(ratio)) return "unknown";
    return fmt::format("{:+.1f} %", 100 * ratio);
}

std::string seconds_text(double seconds) {
    if (seconds < 9.95) return fmt::format("{:.1f} s", std::max(seconds, 0.0));
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string html_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string markdown_escaped(std::string_view text) {
    static constexpr std::string_view markup = "\\`*_{}[]()<>#+-.!|~:&$^=\"'";
    std::string out;
    for (const char c : text) {
        if (c == '@') {
            out += "&#64;";  // a backslash does not stop a mention
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '&') {
            out += "&amp;";
        } else if (c == '#') {
            out += "&#35;";
        } else {
            if (markup.find(c) != markup.npos) out += '\\';
            out += c;
        }
    }
    return out;
}

}  // namespace vigil::local
