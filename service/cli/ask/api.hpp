#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/client.hpp"

namespace vigil::cli {

/// The daemon's HTTP interface as a command sees it. Errors: Error{unavailable} when there is no
/// answer, no answer of ours, or the server cannot serve now; denied, not_found, conflict or
/// invalid_argument when it refused, in the server's words.
class Api {
  public:
    Api(const std::string& server, const std::string& token)
        : server_(server), client_(server, token) {}

    /// Its address, as it was given.
    const std::string& server() const { return server_; }

    nlohmann::json get(const std::string& path) const;
    /// The text of a resource that is not JSON.
    std::string get_text(const std::string& path) const;
    /// The text of a resource that may go on in further pages (header Link): `take` gets each.
    void each_page(
        const std::string& path, const std::function<void(const std::string&)>& take) const;
    /// Items of a list, newest first, following its pages. Empty filters are left out.
    nlohmann::json list(
        const std::string& path,
        std::map<std::string, std::string> filters,
        std::int64_t limit) const;
    /// The same as the server writes it in another `format`: `take` gets each page.
    void each_part(
        const std::string& path,
        std::map<std::string, std::string> filters,
        std::int64_t limit,
        const std::string& format,
        const std::function<void(const std::string&)>& take) const;
    /// Follows a stream of events behind the one of number `last`, until it ends, or `take` says
    /// false. @return  why there is no stream; empty: there was one
    std::string follow(
        const std::string& path,
        const std::string& last,
        const std::function<bool(std::string_view)>& take) const;
    /// @return  the reply's JSON; an empty object for 204
    nlohmann::json post(
        const std::string& path,
        const nlohmann::json& body,
        const std::string& idempotency_key = "") const;
    /// Sends a text as it is, which may take minutes.
    /// @param type  its media type
    nlohmann::json post_text(
        const std::string& path, const std::string& body, const std::string& type) const;
    void remove(const std::string& path) const;

  private:
    http::Response call(
        const std::string& method,
        const std::string& path,
        const std::string& body,
        const http::Headers& headers,
        const http::CallOptions& options = {}) const;

    std::string server_;
    http::Client client_;
};

}  // namespace vigil::cli
