#include "schema/text/characters.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utf8proc.h>

namespace vigil::text {

namespace {

const utf8proc_uint8_t* bytes_of(std::string_view text) {
    return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

}  // namespace

Character first_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x80) return {first, 1, true};
    utf8proc_int32_t code = -1;
    const auto most = static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size(), 4));
    const auto read = utf8proc_iterate(bytes_of(text), most, &code);
    if (read <= 0 || code < 0) return {};
    return {static_cast<char32_t>(code), static_cast<std::size_t>(read), true};
}

std::size_t find_unsound(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto c = first_character(text.substr(at));
        if (!c.is_sound) return at;
        at += c.bytes;
    }
    return text.npos;
}

void append(std::string& out, char32_t code) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto written = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes.data());
    out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(written));
}

bool is_hidden(char32_t code) {
    if (code < 0x7F) return code < 0x20;
    if ((code & 0xFFFE) == 0xFFFE) return true;  // no character: XML refuses a document with it
    const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
    switch (property->category) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP: return true;
        default: return property->ignorable;
    }
}

bool is_space(char32_t code) {
    if (code < 0x7F) return code == ' ' || (code >= '\t' && code <= '\r');
    if (code == 0x85) return true;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
        case UTF8PROC_CATEGORY_ZS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP: return true;
        default: return false;
    }
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = lower_case(c);
    return out;
}

std::string folded(std::string_view text) {
    utf8proc_uint8_t* mapped = nullptr;
    const auto lowered = [](utf8proc_int32_t code, void*) { return utf8proc_tolower(code); };
    const auto bytes = utf8proc_map_custom(
        bytes_of(text),
        static_cast<utf8proc_ssize_t>(text.size()),
        &mapped,
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD),
        lowered,
        nullptr);
    if (bytes < 0) return lower_case(text);
    std::string out(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(bytes));
    std::free(mapped);
    return out;
}

std::size_t columns(std::string_view text) {
    std::size_t count = 0;
    while (!text.empty()) {
        const auto c = first_character(text);
        const int width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(c.code));
        count += c.is_sound ? static_cast<std::size_t>(std::max(width, 0)) : 1;
        text.remove_prefix(c.bytes);
    }
    return count;
}

std::string_view first_bytes(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    std::size_t end = 0;
    while (end < most) {
        const auto next = end + first_character(text.substr(end)).bytes;
        if (next > most) break;
        end = next;
    }
    return text.substr(0, end);
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace vigil::text
