#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/api/common/context.hpp"
#include "service/pages/common/filters.hpp"

// Filters of the pages that show many series. Pure functions.

namespace vigil::service {

/// Project, machine class and metric, as choices; metrics as people call them.
/// @param metric  what is shown where no metric is chosen
nlohmann::json suite_choices(
    const Config& config, const GivenFilters& given, const std::string& metric);

/// A choice of metrics whose values are their names, and whose words are what people call them.
/// @param otherwise  what it is where none is chosen
nlohmann::json metric_field(const GivenFilters& given, const std::string& otherwise = "any");

/// Links to the pages that look at the same night in another way.
nlohmann::json suite_tabs(const std::string& here, const std::string& project);

/// "worse", "better" or "same" of a change ratio, for its colour and its sign: worse or better by
/// more than this. Each has a sign as well.
struct ChangeMood {
    std::string_view mood;  ///< of the style
    std::string_view sign;
};
ChangeMood change_mood(std::optional<double> change_ratio, double than);

}  // namespace vigil::service
