#include "bisect/history/one_line.hpp"

#include <algorithm>
#include <cstdint>

namespace vigil::history {

namespace {

struct Character {
    char32_t code = 0;
    std::size_t length = 0;  ///< 0: the bytes are no character
};

std::size_t expected_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 0;
}

Character first_character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = expected_length(lead);
    if (length == 0 || length > text.size()) return {};
    if (length == 1) return {lead, 1};
    char32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0U) != 0x80) return {};
        code = (code << 6) | (byte & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (overlong || surrogate || code > 0x10FFFF) return {};
    return {code, length};
}

bool breaks_the_line(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t limit) {
    std::string line;
    line.reserve(std::min(text.size(), limit));
    while (!text.empty()) {
        const Character c = first_character(text);
        const std::string_view bytes = c.length == 0             ? std::string_view("\xEF\xBF\xBD")
                                       : breaks_the_line(c.code) ? std::string_view(" ")
                                                                 : text.substr(0, c.length);
        if (line.size() + bytes.size() > limit) break;
        line += bytes;
        text.remove_prefix(std::max<std::size_t>(c.length, 1));
    }
    return line;
}

}  // namespace vigil::history
