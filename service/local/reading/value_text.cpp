#include "service/local/reading/value_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"

namespace vigil::local {

std::string value_text(double value, std::string_view unit) {
    if (!unit.empty()) return text::quantity(value, unit);
    // A printed value has no unit to scale, and a person may look for its digits.
    constexpr double many = 1e15;
    if (std::fabs(value) >= 1e5 && std::fabs(value) < many) return text::rounded(value, 0);
    return fmt::format("{:.5g}", value);
}

std::string percent_text(double ratio) {
    return std::isfinite(ratio) ? text::percent(ratio) : "unknown";
}

}  // namespace vigil::local
