#include "service/schedule/judgeable.hpp"

#include <cmath>

#include <fmt/format.h>

namespace vigil::service {

std::optional<std::string> why_unjudged(double value, double spread, bool zero) {
    if (!std::isfinite(value) || !std::isfinite(spread)) {
        return "its samples are too large to be summarised";
    }
    if (!is_judgeable(value) || (value == 0 && !zero)) {
        return fmt::format(
            "its value is {:g}; only values from {:g} to {:g} can be compared",
            value,
            least_judged,
            most_judged);
    }
    if (spread < 0 || spread > most_judged) {
        return fmt::format("its samples scatter by {:g}, which cannot be compared", spread);
    }
    return std::nullopt;
}

}  // namespace vigil::service
