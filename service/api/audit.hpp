#pragma once

#include <string>

#include "service/api/route.hpp"

namespace vigil::service {

/// Whether what a route changes stands in the audit log: all that people and programs change, not
/// what workers send in the course of their jobs.
bool is_audited(const Route& route);

/// What a route does, in two words: "regression.state", "trigger.add", "token.remove".
std::string action_of(const Route& route);

/// Writes the row of a change that was carried out, in its transaction. Its object is the thing
/// that the path names, else the one that the reply's Location does.
void note_audit(
    Database& db,
    const Route& route,
    const http::Request& request,
    const http::Response& response,
    std::int64_t now_s);

/// A handler (see Handler in route.hpp).
http::Response list_audit(const http::Request&, Database&, const HandlerContext&);

}  // namespace vigil::service
