#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

// Request targets and base URLs; no socket, no Beast.

namespace vigil::http {

/// A request target in origin form, taken apart and decoded.
struct Target {
    std::string path;  ///< absolute, no "." or ".." segment, no empty segment but the last
    std::map<std::string, std::string> query;
};

/// Longest request target accepted.
constexpr std::size_t max_target_bytes = 4096;
constexpr std::size_t max_query_parameters = 32;

/// Strict: printable ASCII in origin form, sound percent-encoding, valid UTF-8 after decoding, no
/// control characters, no encoded slash, no dot segments, no doubled slashes, no query name twice.
/// @return nothing when any of this is broken; the reason is put into `why` when it is given
std::optional<Target> parse_target(std::string_view raw, std::string* why = nullptr);

/// A body of application/x-www-form-urlencoded, by the rules of a query: values are single lines.
std::optional<std::map<std::string, std::string>> parse_form(std::string_view body);

/// Percent-encodes everything but unreserved characters (RFC 3986); a slash too.
std::string percent_encode(std::string_view text);

/// "?a=1&b=2" of the pairs, encoded; empty when there are none. Empty values are left out.
std::string query_string(const std::map<std::string, std::string>& query);

/// Where a service is.
struct BaseUrl {
    bool secure = false;  ///< https
    std::string host;     ///< without brackets
    std::uint16_t port = 80;
    std::string prefix;  ///< path in front of every request's; empty or "/a/b" without final slash

    /// For the Host field; the default port is left out, IPv6 has brackets.
    std::string authority() const;
};

/// @param url  http:// or https://, host, optional port and path; no user, query or fragment
/// @throws Error{invalid_argument}
BaseUrl parse_base_url(std::string_view url);

/// An absolute address: a service, and what is asked of it.
struct WebAddress {
    BaseUrl base;      ///< without prefix
    std::string path;  ///< with query, encoded, as it was written
};

/// @param url  http:// or https://, host, optional port, path and query; no user or fragment
/// @throws Error{invalid_argument}
WebAddress parse_url(std::string_view url);

}  // namespace vigil::http
