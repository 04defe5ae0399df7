#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/http/message.hpp"
#include "schema/http/target.hpp"

namespace vigil::http {

/// Bounds of one call.
struct CallOptions {
    std::chrono::milliseconds timeout{30'000};  ///< from start to the last byte
    std::int64_t max_response_bytes = std::int64_t{64} << 20;
    std::int64_t least_bytes_a_minute = 0;  ///< an answer that comes slower is given up; 0: any
    /// Gets the body of a 2xx as it comes; it stands in no response then.
    std::function<void(std::string_view)> take = {};
    /// A proxy, "machine:port", through which https goes (CONNECT); empty: none.
    std::string proxy = {};
    /// A Unix socket of this machine, its path, which the call goes to in place of the URL's
    /// machine; plain, whatever the URL says. Empty: none.
    std::string unix_socket = {};
    /// What of the request is secret beside its bearer token: see `Client`.
    std::vector<std::string> secrets = {};
    /// Of the request, beside the method's own; lower-case names.
    Headers headers = {};
    const std::atomic<bool>* stop = nullptr;  ///< when it turns true the call ends within 0.2 s
};

/// Longest header of a response.
constexpr std::uint32_t max_response_header_bytes = 64 * 1024;

/// How far a request got: after `maybe_sent` the server may have acted on it.
enum class SendProgress { not_sent, maybe_sent, answered };

/// What came of one call; network failures are values here.
struct Exchange {
    SendProgress progress = SendProgress::not_sent;
    Response response;    ///< when answered, whatever its status
    std::string message;  ///< otherwise why, one line
};

/// A blocking HTTP/1.1 caller of one service, http or https (certificates are verified against the
/// system's). Each call makes its own connection, so one client may be used from several threads.
/// Any status is a response, not an error; redirects are not followed. What the service says back
/// is kept and told, so the secrets of the request are gone from it: from the message, the headers
/// and the body, but not from what goes into a file or to `take`.
class Client {
  public:
    /// @param token  sent as "Authorization: Bearer"; empty: none
    /// @throws Error{invalid_argument} when the URL is not one
    explicit Client(const std::string& base_url, std::string token = "");

    /// @param path     with query, encoded, e.g. "/api/v1/jobs?limit=5"
    /// @param body     sent with Content-Length; "application/json" unless headers say otherwise
    /// @param headers  additional ones, lower-case names
    /// @throws Error{unavailable} when there is no complete answer in time
    Response send(
        const std::string& method,
        const std::string& path,
        const std::string& body = "",
        const Headers& headers = {},
        const CallOptions& options = {}) const;

    /// As `send`, without throwing for the network's sake: tells whether the request may have
    /// arrived.
    Exchange try_send(
        const std::string& method,
        const std::string& path,
        const std::string& body = "",
        const Headers& headers = {},
        const CallOptions& options = {}) const;

    /// GET into a new file. On a status other than 2xx no file is left and the body is in the
    /// response; on 2xx the body is in the file only. options.max_response_bytes bounds the file.
    /// @throws Error{unavailable} network, time-out, too large, or the file cannot be written; no
    ///         file is left then
    Response download(
        const std::string& path,
        const std::filesystem::path& file,
        const CallOptions& options = {}) const;

    /// GET of what is missing of a file that may hold the beginning, as it was with this validator:
    /// its rest is put behind it (206), or the whole replaces it (200, the server has another one,
    /// or knows no ranges). What has come stays when the call fails, to be gone on with.
    /// options.max_response_bytes bounds what comes.
    /// @param etag  strong, with its quotes; empty: the whole is asked for
    /// @throws as download
    Response resume(
        const std::string& path,
        const std::filesystem::path& file,
        const std::string& etag,
        const CallOptions& options = {}) const;

    /// PUT of a file's bytes.
    /// @throws Error{unavailable} network or time-out; Error{not_found} when there is no such file
    Response upload(
        const std::string& path,
        const std::filesystem::path& file,
        const CallOptions& options = {}) const;

    const BaseUrl& base() const { return base_; }

  private:
    BaseUrl base_;
    std::string token_;
};

}  // namespace vigil::http
