#pragma once

#include <utility>

#include <boost/asio/awaitable.hpp>

#include "schema/http/client.hpp"

namespace vigil::http {

/// One call to make. Name it before awaiting `async_send`: a temporary would be destroyed twice.
struct Call {
    BaseUrl base;
    std::string method = "GET";
    std::string path;  ///< with query, encoded
    Headers headers;   ///< lower-case names; "authorization" too, when there is a token
    std::string body;
    std::optional<std::filesystem::path> upload;    ///< the body is this file instead
    std::optional<std::filesystem::path> download;  ///< a 2xx body goes into this new file
    /// `download` holds the beginning already: a 206 is put behind it, another 2xx replaces it, and
    /// what has come stays when the call fails. "range" and "if-range" are the caller's headers.
    bool resume = false;
    CallOptions options;
};

/// Makes the call on the awaiting coroutine's executor; never blocks it (but see `upload` and
/// `download`: files are read and written in pieces of 64 KiB on this thread).
/// @param call  lives in the caller's frame until the answer
boost::asio::awaitable<Exchange> async_send(const Call& call);

}  // namespace vigil::http
