#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Words and numbers of a report: rounding, units, and how a stranger's text is made harmless.

namespace vigil::service {

/// `value` with `decimals` digits after the point, halves away from zero: 2.675 -> "2.68". Values
/// that a report cannot use (not finite) are "?".
std::string rounded(double value, int decimals);

/// A level in a unit a person reads, four significant digits: ns -> "12.35 ms", bytes ->
/// "1.500 GiB"; any other unit stays as it is: "42.00 images/s".
std::string quantity(double value, std::string_view unit);

/// "+18.3 %"; 0.183 is the ratio. "0.0 %" has no sign.
std::string percent(double ratio);

/// "1 run", "12 runs".
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural = "");

/// "3 h 12 min", "4 min 05 s", "12 s"; the two largest units.
std::string duration(std::int64_t seconds);

/// "2026-11-21 04:05 UTC".
std::string utc(std::int64_t seconds);

/// A stranger's text as plain words on one line: valid UTF-8 (what is not becomes U+FFFD), no
/// control, bidirectional or invisible characters, no mention, no issue reference, no link, no
/// opening of HTML or of a hidden comment: the signs that make these are replaced by full-width
/// twins. Backquotes become apostrophes and pipes broken bars, so the words fit into a code span
/// and a table. Longer than `limit` characters, it ends with "...".
std::string harmless(std::string_view text, std::size_t limit = 120);

/// `harmless(text)` as a code span, where Markdown has no power: "`text`". Empty: "(empty)".
std::string code(std::string_view text, std::size_t limit = 120);

/// One word of a shell command (bash), quoted where it must be; control characters as $'\n'.
std::string shell_word(std::string_view text);

/// A fence longer than any run of backquotes in `content`, so that the content cannot end it.
std::string fenced(std::string_view content, std::string_view language);

}  // namespace vigil::service
