#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "schema/http/message.hpp"
#include "schema/http/target.hpp"

// The strict reading of a request's head. It is the only one: no second parser that could see the
// same bytes differently stands behind it, which is what request smuggling lives on.

namespace vigil::service {

constexpr std::size_t max_head_bytes = std::size_t{16} * 1024;
constexpr std::size_t max_header_fields = 100;

/// The head of a request whose framing is beyond doubt.
struct Head {
    std::string method;
    http::Target target;
    http::Headers headers;
    std::string host;  ///< as sent, without the port; empty for HTTP/1.0 without Host
    std::optional<std::uint64_t> content_length;
    bool chunked = false;
    bool keep_alive = true;
    bool expects_continue = false;
};

/// Why a request is not served. The connection is closed after it: nobody knows where it ends.
struct Refusal {
    int status = 400;
    std::string why;
};

/// Reads request line and header fields.
/// @param raw  from the first byte of the request to the empty line, which it includes
/// @return  a refusal (400, 414, 417, 431, 505) for everything that RFC 9112 says to refuse and
///          much of what it lets pass: bare LF or CR, obs-fold, space before a colon, control
///          characters, no Host or two, any Transfer-Encoding but exactly "chunked", that with
///          HTTP/1.0 or with Content-Length, two lengths, a length that is not plain digits, single
///          fields sent twice, targets that `http::parse_target` refuses
/// @source  RFC 9112, sections 2.2, 3, 5, 6.1 and 6.3
std::variant<Head, Refusal> parse_head(std::string_view raw);

/// What the head tells of a request.
/// @param id  as X-Request-Id of its reply names it
http::Request request_of(const Head& head, const std::string& id);

}  // namespace vigil::service
