#pragma once

#include <cstdint>
#include <optional>

#include "service/api/route.hpp"
#include "service/config/config.hpp"
#include "service/http/gate.hpp"

namespace vigil::service {

/// Largest body a rule takes, in bytes; 0 for none.
std::int64_t body_limit(BodyRule rule, const HttpConfig& config);

/// What the head alone tells about a body that a route will not take: 400 (takes none), 413, 415.
std::optional<Refusal> check_body(const Route& route, const Head& head, const HttpConfig& config);

}  // namespace vigil::service
