#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/http/message.hpp"
#include "service/api/route.hpp"
#include "service/config/config.hpp"
#include "service/http/request_head.hpp"

namespace vigil::service {

/// The secret of "Authorization: Bearer <secret>"; nothing when there is no such field.
/// A field of another form gives an empty secret, which no token has.
std::optional<std::string> bearer_secret(const http::Headers& headers);

/// Whether `address` ("127.0.0.1", "::1") can be reached from this machine only.
bool is_loopback(const std::string& address);

/// Whether the Host of a request names this machine: "localhost" or a loopback address. A page in
/// a browser that was lured here by DNS sends another name.
bool names_loopback(const std::string& host);

/// Whether a request shows that a proxy forwarded it: Forwarded, Via, X-Forwarded-..., X-Real-IP
/// and their like. A proxy that adds nothing cannot be told from a caller of its own.
bool is_forwarded(const http::Headers& headers);

/// Where a request comes from, as far as it shows.
struct Trust {
    bool bound_to_loopback = false;
    bool host_is_loopback = false;
    bool forwarded = false;
};

/// Whether a request may read without a token. A pure function.
bool may_read_openly(OpenReads open, Trust trust);

/// Whether this route may: a page as the config opens pages, a badge as its project has it, all
/// others as it opens reads.
bool may_read_openly(
    const Route& route, const http::Request& request, const Config& config, Trust trust);

/// The scopes of which a route takes any one; none: it asks for no token.
std::vector<Scope> scopes_of(Access access);

/// Whether a caller may use a route. A pure function.
/// @param open_read  reads need no token here
/// @param secret_given  a token came with the request; an unknown one is refused even for reads
/// @return  nothing when it may; else 401 (who are you?) or 403 (not you)
std::optional<Refusal> check_access(
    Access access,
    const std::optional<http::Caller>& caller,
    bool secret_given,
    bool open_read,
    std::int64_t now_s);

/// Whether a worker may use a route of workers: the config has to know it, whose token that is does
/// not do. A pure function.
/// @param caller  who may use the route by its scope
std::optional<Refusal> check_worker(
    Access access, const http::Caller& caller, const Config& config);

}  // namespace vigil::service
