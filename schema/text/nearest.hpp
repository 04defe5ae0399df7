#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The word that a person most likely meant. Pure functions.

namespace vigil::text {

/// The nearest known word, or nothing when none is near: at most one edit (insert, delete, replace,
/// swap neighbours; letter case is free) for every three letters, and at most three. Fast enough
/// for 100,000 known words.
/// @return  of equally near ones, the first
/// @source  Damerau 1964, "A technique for computer detection and correction of spelling errors"
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// `; did you mean "x"?`, or nothing: to be put behind the words of an error.
/// @param quote   as the rest of the error has them
/// @param before  what a person writes before the word, "--" for an option
std::string did_you_mean(
    std::string_view word,
    const std::vector<std::string>& known,
    char quote = '"',
    std::string_view before = "");

/// "a, b, c"
std::string joined(const std::vector<std::string>& words, std::string_view between = ", ");

}  // namespace vigil::text
