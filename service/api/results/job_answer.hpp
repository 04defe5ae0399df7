#pragma once

#include <cstdint>
#include <string>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/watch/night/external.hpp"

// POST /api/v1/jobs/{id}/answer: what came of runs that were asked for elsewhere.

namespace vigil::service {

/// Reads an answer. Takes as long as it is large: neither the io thread nor the writer does it.
/// @throws Error{invalid_argument} naming the place in the body
SentAnswer read_answer(const http::Request& request, const std::string& body);

/// Takes it, in the caller's transaction on the writer. 201, or 200 when it was taken before.
/// @throws as NightTaker::answer
http::Response take_answer(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const SentAnswer& answer);

}  // namespace vigil::service
