#pragma once

#include <string>
#include <vector>

#include "schema/text/characters.hpp"

// Texts that strangers send. Every function that shows a stranger's text is run on all of them.

namespace vigil::text {

inline std::vector<std::string> hostile_texts() {
    return {
        "",
        " \t\r\n ",
        "plain words",
        std::string("a\0b", 3),
        "a\x1b[2Jb\x07\x08\rc\x7f",
        "a\u009B31mb",                             // a control of one character
        "x\u202Ey\u2066z\u2069",                   // turned around
        "zero\u200Bwidth\u200D\uFEFF\u2060",       // joined and split by nothing
        "soft\u00ADhyphen \u115F\u3164\uFFA0",     // fillers
        "tags \U000E0041\U000E007F",               // letters that nobody sees
        "variants \uFE0F\U000E0100 \u180B\u180E",  // selectors
        "lines\u2028and\u2029paragraphs\u0085here",
        "wide\u3000and\u00A0hard spaces",
        "private \uE000\U000F0000",
        "bad \xFF\xC0\xAF utf",
        "overlong \xE0\x80\xAF and cut \xE2\x82",
        "half of a pair \xED\xA0\x80",
        "beyond \xF4\x90\x80\x80 \xF8\x88\x80\x80\x80",
        "gr\u00FC\u00DFe \U0001F600 \u4F60\u597D e\u0301",
        "Fixes #12 by @octocat, https://evil.example/ www.evil.example GH-7",
        "`</details><!-- marker --> | ![x](javascript:1) **b** \\ &lt; [a][b] [c]: d",
        "$(rm -rf ~) 'quoted' \"twice\" ```",
        std::string(3000, 'x'),
        std::string(1999, 'y') + "\u00FC\u00FC"};
}

/// Valid, and nothing in it is hidden, but line breaks and tabs where they are `allowed`.
inline bool is_shown(const std::string& text, const std::string& allowed = "") {
    if (find_unsound(text) != text.npos) return false;
    for (std::size_t at = 0; at < text.size();) {
        const auto c = first_character(std::string_view(text).substr(at));
        const bool may = c.code < 0x80 && allowed.find(static_cast<char>(c.code)) != allowed.npos;
        if (is_hidden(c.code) && !may) return false;
        at += c.bytes;
    }
    return true;
}

}  // namespace vigil::text
