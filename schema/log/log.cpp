#include "schema/log/log.hpp"

#include <algorithm>
#include <array>

#include <spdlog/spdlog.h>

namespace vigil {

namespace {

constexpr std::size_t max_value_bytes = 2000;

bool is_tail(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// The code point at the front of `text` and its length in bytes; length 0 when it is not UTF-8.
std::pair<char32_t, std::size_t> first_character(std::string_view text) {
    static constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (length == 0 || lead >= 0xf8 || text.size() < length) return {0, 0};
    char32_t point = lead & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_tail(text[i])) return {0, 0};
        point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
    }
    const bool surrogate = point >= 0xd800 && point <= 0xdfff;
    if (point < smallest[length] || surrogate || point > 0x10ffff) return {0, 0};
    return {point, length};
}

/// Controls, invisible characters, separators of lines and of paragraphs, and marks of direction.
bool is_hidden(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c <= 0xa0) || c == 0xad || c == 0x61c || c == 0x180e ||
           (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
           (c >= 0xe0000 && c <= 0xe0fff);
}

void append_escaped(std::string& out, std::string_view text) {
    static constexpr std::string_view digits = "0123456789abcdef";
    while (!text.empty()) {
        const auto [point, length] = first_character(text);
        const auto bytes = text.substr(0, std::max<std::size_t>(length, 1));
        text.remove_prefix(bytes.size());
        if (point == '"' || point == '\\') {
            out += {'\\', bytes[0]};
        } else if (point == '\n') {
            out += "\\n";
        } else if (length > 0 && !is_hidden(point)) {
            out += bytes;
        } else {
            for (const char c : bytes) {
                const auto byte = static_cast<unsigned char>(c);
                out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
            }
        }
    }
}

void log_line(spdlog::level::level_enum level, std::string_view event, LogFields fields) {
    auto* logger = spdlog::default_logger_raw();
    if (!logger->should_log(level)) return;
    std::string line(event);
    for (const auto& field : fields) line.append(" ").append(field.text());
    logger->log(level, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

std::string log_value(std::string_view text) {
    const auto shown = text.substr(0, max_value_bytes);
    const bool plain = !shown.empty() && shown.size() == text.size() &&
                       std::all_of(shown.begin(), shown.end(), [](char c) {
                           return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
                       });
    if (plain) return std::string(shown);
    std::string out = "\"";
    append_escaped(out, shown);
    if (shown.size() != text.size()) out += "...";
    return out + '"';
}

LogField::LogField(std::string_view key, std::string_view text)
    : text_(std::string(key) + "=" + log_value(text)) {}

void log_debug(std::string_view event, LogFields fields) {
    log_line(spdlog::level::debug, event, fields);
}

void log_info(std::string_view event, LogFields fields) {
    log_line(spdlog::level::info, event, fields);
}

void log_warn(std::string_view event, LogFields fields) {
    log_line(spdlog::level::warn, event, fields);
}

void log_error(std::string_view event, LogFields fields) {
    log_line(spdlog::level::err, event, fields);
}

void log_critical(std::string_view event, LogFields fields) {
    log_line(spdlog::level::critical, event, fields);
}

}  // namespace vigil
