#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/api/rows/findings.hpp"

namespace vigil::service {

/// Regressions as the rows of regression_rows.html. A pure function.
nlohmann::json regression_rows(
    const std::vector<ListedRegression>& regressions, const HandlerContext& context);

/// A series' change: its size, "+6.6 % [5.1, 8.2]", or the night's own ratio, called so.
std::string change_words(const ListedSeriesChange& series);

/// Where it stands by now; null where no later night measured it.
nlohmann::json today_view(const ListedSeriesChange& series);

/// Its row: the worst series first, then who did it.
nlohmann::json regression_row(const ListedRegression& regression, const HandlerContext& context);

}  // namespace vigil::service
