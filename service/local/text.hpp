#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/model/metric.hpp"

// Small pieces of text for a terminal, a report and a log. Pure functions.

namespace vigil::local {

/// A stranger's text (subject, author, what a benchmark printed) as one line that cannot move the
/// cursor, recolour or reorder what is shown: control, bidirectional and zero-width characters go.
std::string shown(std::string_view text, std::size_t limit = 200);

/// Characters shown, counting each code point as one.
std::size_t columns(std::string_view text);

/// At most `width` characters; a cut is shown as "…".
std::string fitted(const std::string& text, std::size_t width);

/// As one word of a shell's command line; what cannot be seen is written as bash's $'\\x1b'.
std::string shell_quoted(std::string_view text);

/// "12.3 ms", "45.2 MiB", "1234": a value in its metric's unit.
std::string value_text(double value, Metric metric);

/// "+18.3 %".
std::string percent_text(double ratio);

/// "0.4 s", "12 s", "4 min 05 s", "3 h 12 min".
std::string seconds_text(double seconds);

/// Text of an HTML element or attribute.
std::string html_escaped(std::string_view text);

/// One line of Markdown in which nothing is markup, a mention or a link.
std::string markdown_escaped(std::string_view text);

}  // namespace vigil::local
