#pragma once

#include <string_view>

#include "schema/http/message.hpp"
#include "service/api/route.hpp"

// What a reply says of itself, and when it need not be sent again. Pure functions.

namespace vigil::service {

/// Gives the reply of a GET a strong `ETag`, the digest of its body, and makes it a 304 without a
/// body where the client has it already (`If-None-Match`). Other replies stay as they are.
/// @source  RFC 9110, sections 8.8.3 and 13.1.2
void apply_conditions(const http::Request& request, http::Response& response);

/// Whether the request's `Accept` takes what the reply is. A request without one takes all, and so
/// does one that names a format; a problem is told to everybody.
bool is_acceptable(const http::Request& request, const http::Response& response);

/// Whether a list of `If-None-Match` names this tag; weak tags compare by what they name.
bool names_tag(std::string_view list, std::string_view tag);

/// The client's `X-Request-Id` where it is one: 1 to 64 letters, digits, '.', '_' and '-'; else a
/// new one.
std::string request_id_of(const http::Headers& headers);

/// "Sun, 06 Nov 1994 08:49:37 GMT". @source  RFC 9110, section 5.6.7
std::string http_date(std::int64_t time_s);

/// Says in a reply that its route is given up, and when it will be gone.
/// @source  RFC 9745 (Deprecation), RFC 8594 (Sunset)
void tell_ending(const RouteEnd& ending, http::Response& response);

/// Names the request in its reply, and in the problem that the reply may be.
void add_request_id(http::Response& response, const std::string& id);

/// Packs a reply for who takes gzip, where it is text of more than a kB; its tag is another one
/// then.
void pack(const http::Request& request, http::Response& response);

/// Says in a problem where in the body it lies.
/// @param pointer  RFC 6901; empty: the body itself
void add_pointer(http::Response& problem, const std::string& pointer, const std::string& detail);

}  // namespace vigil::service
