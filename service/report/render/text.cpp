#include "service/report/render/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

namespace vigil::service {

namespace {

constexpr char32_t replacement = 0xFFFD;

/// The next code point of `text` at `at`, which moves on; U+FFFD for a byte that fits nowhere.
char32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at++);
    if (first < 0x80) return first;
    const int more = first >= 0xF0 && first < 0xF5 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 0;
    if (more == 0 || first >= 0xF5) return replacement;
    char32_t value = first & (0x3Fu >> more);
    for (int i = 0; i < more; ++i) {
        const std::size_t position = at + static_cast<std::size_t>(i);
        if (position >= text.size() || (byte(position) & 0xC0) != 0x80) return replacement;
        value = (value << 6) | (byte(position) & 0x3Fu);
    }
    static constexpr std::array<char32_t, 4> smallest{0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < smallest[static_cast<std::size_t>(more)] || value > 0x10FFFF || surrogate) {
        return replacement;
    }
    at += static_cast<std::size_t>(more);
    return value;
}

void append_utf8(std::string& out, char32_t c) {
    const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | (c >> 6)), put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | (c >> 12)), put(0x80 | ((c >> 6) & 0x3F)), put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | (c >> 18)), put(0x80 | ((c >> 12) & 0x3F));
        put(0x80 | ((c >> 6) & 0x3F)), put(0x80 | (c & 0x3F));
    }
}

bool is_space(char32_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f' || c == 0x85 ||
           c == 0xA0 || c == 0x2028 || c == 0x2029;
}

/// Characters nobody sees, which hide, reorder or join what is seen.
bool is_invisible(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x34F || c == 0x61C ||
           c == 0x115F || c == 0x1160 || c == 0x17B4 || c == 0x17B5 || c == 0x3164 ||
           (c >= 0x180B && c <= 0x180F) || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
           (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || c == 0xFFA0 ||
           (c >= 0xFFF0 && c <= 0xFFFB) || (c >= 0x1D173 && c <= 0x1D17A) ||
           (c >= 0xE0000 && c <= 0xE0FFF) || c >= 0xF0000;
}

/// What stands for a sign that a tracker, Markdown or HTML would act on.
char32_t powerless(char32_t c) {
    switch (c) {
        case '@': return 0xFF20;
        case '#': return 0xFF03;
        case '<': return 0xFF1C;
        case '>': return 0xFF1E;
        case '`': return '\'';
        case '|': return 0xA6;
        case '\\': return 0xFF3C;
        case '*': return 0x2217;
        case '~': return 0x223C;
        case '&': return 0xFF06;
        default: return c;
    }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// What makes links, also in places where a code span is not honoured.
void break_links(std::string& text) {
    replace_all(text, "://", "\uFF1A//");
    replace_all(text, "www.", "www\uFF0E");
    replace_all(text, "WWW.", "WWW\uFF0E");
    replace_all(text, "](", "\uFF3D(");
    replace_all(text, "][", "\uFF3D[");
    replace_all(text, "]:", "\uFF3D:");
    replace_all(text, "GH-", "GH\u2011");
    replace_all(text, "gh-", "gh\u2011");
}

std::string scaled(double value, double factor, std::string_view unit) {
    const double shown = value / factor;
    const double size = std::fabs(shown);
    const int decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
    return rounded(shown, decimals) + " " + std::string(unit);
}

}  // namespace

std::string rounded(double value, int decimals) {
    if (!std::isfinite(value)) return "?";
    double power = 1;
    for (int i = 0; i < decimals; ++i) power *= 10;
    const double size = std::fabs(value) * power;
    // 2.675 is stored a little below; what a person wrote as a half counts as one.
    const double whole = size < 1e15 ? std::floor(size + 0.5 + 1e-9 * std::max(1.0, size)) : size;
    return fmt::format("{}{:.{}f}", value < 0 && whole > 0 ? "-" : "", whole / power, decimals);
}

std::string quantity(double value, std::string_view unit) {
    if (!std::isfinite(value)) return "?";
    const double size = std::fabs(value);
    if (unit == "ns") {
        if (size < 1e3) return scaled(value, 1, "ns");
        if (size < 1e6) return scaled(value, 1e3, "\u00B5s");
        if (size < 1e9) return scaled(value, 1e6, "ms");
        return scaled(value, 1e9, "s");
    }
    if (unit == "bytes") {
        if (size < 1024) return rounded(value, 0) + " B";
        if (size < 1024.0 * 1024) return scaled(value, 1024, "KiB");
        if (size < 1024.0 * 1024 * 1024) return scaled(value, 1024.0 * 1024, "MiB");
        return scaled(value, 1024.0 * 1024 * 1024, "GiB");
    }
    std::string text = scaled(value, 1, harmless(unit, 20));
    if (text.back() == ' ') text.pop_back();
    return text;
}

std::string percent(double ratio) {
    constexpr double most = 1e7;  // from here on nobody counts digits
    if (std::isfinite(ratio) && std::fabs(ratio) > most)
        return fmt::format("{:+.2g} %", 100 * ratio);
    const std::string number = rounded(100 * ratio, 1);
    const bool plus = ratio > 0 && number.find_first_of("123456789") != number.npos;
    return (plus ? "+" : "") + number + " %";
}

std::string counted(std::int64_t count, std::string_view singular, std::string_view plural) {
    if (count == 1) return fmt::format("1 {}", singular);
    return plural.empty() ? fmt::format("{} {}s", count, singular)
                          : fmt::format("{} {}", count, plural);
}

std::string duration(std::int64_t seconds) {
    if (seconds < 0) return "?";
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

std::string utc(std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (gmtime_r(&time, &parts) == nullptr) return "?";
    return fmt::format(
        "{:04}-{:02}-{:02} {:02}:{:02} UTC",
        parts.tm_year + 1900,
        parts.tm_mon + 1,
        parts.tm_mday,
        parts.tm_hour,
        parts.tm_min);
}

std::string harmless(std::string_view text, std::size_t limit) {
    std::string out;
    std::size_t characters = 0;
    std::size_t at = 0;
    bool gap = false;
    while (at < text.size()) {
        const char32_t c = next_code_point(text, at);
        if (is_space(c)) {
            gap = !out.empty();
            continue;
        }
        if (is_invisible(c)) continue;
        if (characters + (gap ? 2 : 1) > limit) {
            out += "...";
            break;
        }
        if (gap) out += ' ';
        characters += gap ? 2 : 1;
        gap = false;
        append_utf8(out, powerless(c));
    }
    break_links(out);
    return out;
}

std::string code(std::string_view text, std::size_t limit) {
    const std::string words = harmless(text, limit);
    return words.empty() ? "(empty)" : "`" + words + "`";
}

std::string shell_word(std::string_view text) {
    static constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+%";
    if (!text.empty() && text.find_first_not_of(plain) == text.npos) return std::string(text);
    const bool control = std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    });
    std::string word = control ? "$'" : "'";
    for (const char c : text) {
        if (control && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)) {
            word += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else if (control && (c == '\'' || c == '\\')) {
            word += '\\';
            word += c;
        } else if (c == '\'') {
            word += "'\\''";
        } else {
            word += c;
        }
    }
    return word + "'";
}

std::string fenced(std::string_view content, std::string_view language) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char c : content) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    const std::string_view end = content.ends_with('\n') ? "" : "\n";
    return fmt::format("{}{}\n{}{}{}\n", fence, language, content, end, fence);
}

}  // namespace vigil::service
