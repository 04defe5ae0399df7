#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/error.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/scopes.hpp"

// HTTP messages as handlers and callers see them; no socket in sight.

namespace vigil::http {

/// Header fields by lower-case name. A field that came twice has its values joined by ", ".
using Headers = std::map<std::string, std::string>;

/// Who asks, when the request carried a token that is known and not revoked.
struct Caller {
    TokenId id;
    std::string name;  ///< for scope worker: the worker's name
    Scopes scopes;
    std::optional<std::int64_t> expires_at_s = {};          ///< nothing: never
    std::optional<std::vector<std::string>> projects = {};  ///< it sends for; nothing: all

    /// Under which what it did is kept and counted: its name may be another token's next.
    std::string key() const { return "token/" + to_string(id); }
};

/// A request that passed the gate: its framing is sound, its target decoded, its body complete.
struct Request {
    std::string method;                        ///< upper-case; a HEAD arrives as GET
    std::string path;                          ///< decoded, absolute, without query
    std::map<std::string, std::string> query;  ///< decoded; a name occurs once
    Headers headers;
    std::string body;
    std::optional<std::filesystem::path> body_file;  ///< streamed routes: the body is here instead
    std::map<std::string, std::string> parameters;   ///< by their names in the route, e.g. "id"
    std::optional<Caller> caller;
    std::string address;  ///< it comes from, as far as that can be believed
    std::string id;       ///< as X-Request-Id of its reply names it

    /// The header's value, or nothing. @param lower_case_name  e.g. "content-type"
    std::optional<std::string> header(const std::string& lower_case_name) const;
};

/// A part of a file.
struct FilePart {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    friend bool operator==(const FilePart&, const FilePart&) = default;
};

struct Response {
    int status = 200;
    Headers headers;  ///< without content-length, date and connection: the session adds them
    std::string body;
    std::optional<std::filesystem::path> body_file;  ///< streamed instead of `body`
    std::optional<FilePart> part = {};               ///< of the file; nothing: all of it
    /// What is written as `body` when it leaves: who reads it within the program reads no text.
    std::shared_ptr<nlohmann::json> document = {};

    bool ok() const { return status >= 200 && status < 300; }
};

/// A JSON reply. @param json  serialised
Response json_response(std::string json, int status = 200);

Response text_response(std::string text, std::string content_type = "text/plain; charset=utf-8");

/// Where the words on problems of this status stand: "/api/v1/docs#problem-not-found".
std::string problem_type(int status);

/// An RFC 9457 problem: type and title are derived from the status.
/// @param detail    one line for the client: what was wrong and what to do; never internals
/// @param instance  path of the request
Response problem_response(int status, std::string_view detail, std::string_view instance);

/// "Not Found" for 404; "Unknown" for a status that we never send.
std::string_view reason_of(int status);

/// The status that an error becomes at the edge (docs/contributing.md, "Errors").
int status_of(Errc code);

/// The kind of error that a status stands for, for callers: 404 -> not_found, 409 -> conflict,
/// 401 and 403 -> denied, other 4xx -> invalid_argument, the rest -> unavailable.
Errc errc_of(int status);

/// What a failed call should say to a person: the problem's detail when the body is one, else the
/// status and its reason. One line, at most 500 characters.
std::string failure_text(const Response& response);

}  // namespace vigil::http
