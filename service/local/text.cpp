#include "service/local/text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::local {

std::string shown(std::string_view text, std::size_t limit) {
    return text::one_line(text, limit);
}

std::size_t columns(std::string_view text) {
    return text::columns(text);
}

std::string fitted(const std::string& text, std::size_t width) {
    return text::fitted(text, width);
}

std::string shell_quoted(std::string_view text) {
    return text::shell_word(text);
}

std::string value_text(double value, Metric metric) {
    // A printed value has no unit to scale, and a person may look for its digits.
    if (kind_of(metric) == MetricKind::other) return fmt::format("{:.5g}", value);
    return text::quantity(value, unit_of(metric));
}

std::string percent_text(double ratio) {
    return std::isfinite(ratio) ? text::percent(ratio) : "unknown";
}

std::string seconds_text(double seconds) {
    return text::short_duration(seconds);
}

std::string html_escaped(std::string_view text) {
    return text::html(text);
}

std::string markdown_escaped(std::string_view text) {
    return text::markdown(text);
}

}  // namespace vigil::local
