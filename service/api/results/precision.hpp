#pragma once

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/report/facts/precision.hpp"

namespace vigil::service {

/// What a request asks for, by project, `since` and `until`.
/// @throws Error{invalid_argument}
PrecisionFacts load_precision(
    const http::Request& request, Database& db, const HandlerContext& context);

}  // namespace vigil::service
