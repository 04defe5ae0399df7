#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "schema/http/message.hpp"
#include "schema/wire/digest.hpp"
#include "service/api/hook_event.hpp"
#include "service/config/config.hpp"

namespace vigil::service {

class Database;

/// A delivery whose signature fits, and what it asks for.
struct Delivery {
    std::string external_id;
    std::string event;
    Digest body_digest;
    std::int64_t body_bytes = 0;
    std::string kept_body;  ///< the body; empty when it came as a file, which is to be kept
    HookWish wish;
    std::string traceparent;  ///< of the trace that what comes of it belongs to
};

/// What the head alone tells: 404 when the config has no webhook, 401 when there is no signature.
std::optional<http::Response> refuse_hook(const http::Request& request, const Config& config);

/// Checks a webhook's signature over its raw body, in constant time, with the config's secrets, and
/// reads the body, as JSON or as a form's field `payload`. Takes a moment for 25 MB: neither the io
/// thread nor the writer does it.
/// The files of the secrets are read each time, so that they can be changed without a restart.
/// @return  401 when the signature is not GitHub's
/// @throws  Error{internal} when the secret's file cannot be read or is empty
/// @throws  Error{invalid_argument} when a header field is missing or too long
std::variant<Delivery, http::Response> read_delivery(
    const http::Request& request,
    const std::string& body,
    const Config& config,
    const HookedRepositories& known);

/// Acts on a delivery, once: 202, and a replay is told so. Another body under the id of an earlier
/// delivery is 409. A body that came as a file lies in the content store by now.
/// @param path  of the request, for the problem
http::Response note_delivery(
    Database& db, const Delivery& delivery, const std::string& path, std::int64_t now_s);

}  // namespace vigil::service
