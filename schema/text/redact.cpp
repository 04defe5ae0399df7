#include "schema/text/redact.hpp"

#include <charconv>

namespace vigil::text {

namespace {

constexpr std::size_t least_secret_bytes = 6;
constexpr std::string_view in_its_place = "[secret]";

/// Whether this many hex digits stand there and are the byte.
bool is_hex_of(std::string_view text, std::size_t at, std::size_t digits, char byte) {
    if (at + digits > text.size()) return false;
    unsigned value = 0;
    const auto* end = text.data() + at + digits;
    const auto [stopped, error] = std::from_chars(text.data() + at, end, value, 16);
    return error == std::errc() && stopped == end && value == static_cast<unsigned char>(byte);
}

/// How many bytes of the text at `at` write this byte; 0: none do.
std::size_t width_of(std::string_view text, std::size_t at, char byte) {
    if (at >= text.size()) return 0;
    const char first = text[at];
    const char second = at + 1 < text.size() ? text[at + 1] : '\0';
    if (first == '\\' && second == 'u' && is_hex_of(text, at + 2, 4, byte)) return 6;
    if (first == '\\' && second == byte && (byte == '\\' || byte == '/' || byte == '"')) return 2;
    if (first == '%' && is_hex_of(text, at + 1, 2, byte)) return 3;
    return first == byte ? 1 : 0;
}

/// How many bytes of the text at `at` write the secret; 0: none do.
std::size_t width_of(std::string_view text, std::size_t at, std::string_view secret) {
    const auto begin = at;
    for (const char byte : secret) {
        const auto width = width_of(text, at, byte);
        if (width == 0) return 0;
        at += width;
    }
    return at - begin;
}

std::string redact_one(std::string_view text, std::string_view secret) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto width = width_of(text, at, secret);
        if (width == 0) {
            out += text[at++];
        } else {
            out += in_its_place;
            at += width;
        }
    }
    return out;
}

}  // namespace

std::string redact(std::string_view text, const std::vector<std::string>& secrets) {
    std::string out(text);
    for (const auto& secret : secrets) {
        if (secret.size() >= least_secret_bytes) out = redact_one(out, secret);
    }
    return out;
}

}  // namespace vigil::text
