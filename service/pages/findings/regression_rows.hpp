#pragma once

#include <nlohmann/json_fwd.hpp>

#include "service/api/common/context.hpp"

namespace vigil::service {

/// Regressions as the API lists them, as the rows of regression_rows.html. A pure function.
nlohmann::json regression_rows(const nlohmann::json& items, const HandlerContext& context);

/// Its row: the worst series first, then who did it.
nlohmann::json regression_row(const nlohmann::json& regression, const HandlerContext& context);

}  // namespace vigil::service
