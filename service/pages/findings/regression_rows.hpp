#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/api/common/context.hpp"

namespace vigil::service {

/// Regressions as the API lists them, as the rows of regression_rows.html. A pure function.
nlohmann::json regression_rows(const nlohmann::json& items, const HandlerContext& context);

/// A series' change: its size, "+6.6 % [5.1, 8.2]", or the night's own ratio, called so.
std::string change_words(const nlohmann::json& series);

/// Where it stands by now; null where no later night measured it.
nlohmann::json today_view(const nlohmann::json& series);

/// Its row: the worst series first, then who did it.
nlohmann::json regression_row(const nlohmann::json& regression, const HandlerContext& context);

}  // namespace vigil::service
