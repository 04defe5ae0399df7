#include "service/tables/rounding.hpp"

#include <cmath>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"

namespace vigil::tables {

std::string rounded(double value, int decimals) {
    return std::isfinite(value) ? text::rounded(value, decimals) : "-";
}

std::string rate_words(std::size_t part, std::size_t whole) {
    if (whole == 0) return "-";
    return fmt::format("{}%, {}/{}", (200 * part + whole) / (2 * whole), part, whole);
}

}  // namespace vigil::tables
