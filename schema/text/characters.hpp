#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// UTF-8, character by character. Every text from outside goes through these, so that what is sound,
// what is hidden and what is a space has one answer. Pure functions on libutf8proc's tables.

namespace vigil::text {

inline constexpr char32_t replacement = 0xFFFD;

/// The first character of a text.
struct Character {
    char32_t code = replacement;
    std::size_t bytes = 1;
    bool is_sound = false;  ///< false: its first byte begins no valid UTF-8 (RFC 3629)
};

/// @param text  not empty
Character first_character(std::string_view text);

/// Where the first byte that is no valid UTF-8 stands; npos: the whole text is valid.
std::size_t find_unsound(std::string_view text);

void append(std::string& out, char32_t code);

/// Nobody sees it: controls, marks of direction, zero-width and other ignorable characters, tags,
/// private use. Line breaks and tabs are hidden too; ask is_space() first where they count as
/// space.
bool is_hidden(char32_t code);

/// A space of any width, a tab, or what breaks a line or a paragraph.
bool is_space(char32_t code);

/// An ASCII letter in lower case; every other byte as it is, whatever the locale.
constexpr char lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower_case(std::string_view text);

/// Without blanks and line breaks at both ends.
std::string_view trimmed(std::string_view text);

/// A text as it is compared where upper and lower case are the same, in every script: lower case
/// and folded, composed ("Özgür" in either spelling is one). What is no valid UTF-8 is lower-cased
/// in ASCII alone.
std::string folded(std::string_view text);

/// Columns that a terminal needs: wide characters (CJK, emoji) take two, combining marks none.
std::size_t columns(std::string_view text);

/// The longest beginning of at most `most` bytes that cuts no character.
std::string_view first_bytes(std::string_view text, std::size_t most);

}  // namespace vigil::text
