#pragma once

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"

namespace vigil::service {

/// What a handler of a page has to ask the API.
struct Asker {
    const http::Request& request;
    Database& db;
    const HandlerContext& context;
};

/// A search as views (search_view.hpp): `range`, `posterior`, one for each series, and `probes`.
/// @param bisection  of /api/v1/bisections/{id}
/// @param standing   of its standing
nlohmann::json search_parts(
    const Asker& asker, const nlohmann::json& bisection, const nlohmann::json& standing);

}  // namespace vigil::service
