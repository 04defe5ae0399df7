#pragma once

#include <nlohmann/json_fwd.hpp>

#include "service/api/common/context.hpp"

namespace vigil::service {

/// Regressions as the API lists them, as the rows of regression_rows.html. A pure function.
nlohmann::json regression_rows(const nlohmann::json& items, const HandlerContext& context);

/// What is best known of a regression's series, as its report says it: what the search verified,
/// else what the session measured; members may be null.
const nlohmann::json& best_comparison(const nlohmann::json& series);

/// By how much it got worse: the ratio of that, else of the night.
const nlohmann::json& measured_ratio(const nlohmann::json& series);

/// Its row: the worst series first, then who did it.
nlohmann::json regression_row(const nlohmann::json& regression, const HandlerContext& context);

}  // namespace vigil::service
