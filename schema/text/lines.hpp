#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "schema/text/characters.hpp"

// A stranger's text as what a person can read: commit subjects, logs, what a benchmark printed, an
// answer of a server. Nothing in it can move a cursor, recolour, reorder or hide. Pure functions.

namespace vigil::text {

/// One line: spaces and line breaks in a row become one space, none at the ends; hidden characters
/// go; a byte that is no UTF-8 becomes U+FFFD. What is cut off ends with "...".
/// @param most  bytes, "..." not counted
std::string one_line(std::string_view text, std::size_t most = 500);

/// Of what a program printed, the line that most likely says why it failed: the first with
/// "error:", else the last that is not empty.
std::string telling_line(std::string_view text, std::size_t most = 300);

/// Several lines: line breaks and tabs stay, as do spaces; hidden characters go; a byte that is no
/// UTF-8 becomes U+FFFD.
std::string lines(std::string_view text);

/// Each line without its break; an empty text has none.
template <class Take>
void for_each_line(std::string_view text, Take&& take) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// At most `width` columns of a text without hidden characters; a cut is shown as "…".
std::string fitted(const std::string& text, std::size_t width);

}  // namespace vigil::text
