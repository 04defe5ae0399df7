#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text within another language: HTML, Markdown, a tracker's Markdown, a shell, a log. Pure
// functions.

namespace vigil::text {

/// Text of an HTML or SVG element or attribute.
std::string html(std::string_view text);

/// One line of Markdown in which nothing is markup, a mention or a link, and which reads as before.
std::string markdown(std::string_view text);

/// A stranger's text as plain words on one line of an issue: valid UTF-8, nothing hidden, no
/// mention, no issue reference, no link, no opening of HTML or of a hidden comment: the signs that
/// make these are replaced by full-width twins, because a tracker may honour them even inside of a
/// code span. Backquotes become apostrophes and pipes broken bars, so that the words fit into a
/// code span and a table. Longer than `limit` characters, it ends with "...".
std::string harmless(std::string_view text, std::size_t limit = 120);

/// `harmless(text)` as a code span: "`text`". Empty: "(empty)".
std::string code_span(std::string_view text, std::size_t limit = 120);

/// A code block whose fence is longer than any run of backquotes in `content`.
std::string fenced(std::string_view content, std::string_view language);

/// One word of a command of bash, quoted where it must be; what cannot be seen as $'\x1b'.
std::string shell_word(std::string_view text);

/// What stands between the quotes of a log's value: one line, a backslash before quotes and
/// backslashes, hidden characters and bytes that are no UTF-8 as \x1b.
void append_escaped(std::string& out, std::string_view text);

}  // namespace vigil::text
