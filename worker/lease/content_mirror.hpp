#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

#include "schema/http/client.hpp"
#include "schema/model/text_ids.hpp"

namespace vigil::worker {

/// GET of content into a new file, which is checked.
/// @return  empty, or why not, one line; no file is left then. Wrong bytes are logged
std::string download_content(
    const http::Client& from,
    const std::string& path,
    const Digest& digest,
    const std::filesystem::path& file,
    const http::CallOptions& options);

/// An HTTP cache before the daemon. Nothing depends on it: what it lacks, refuses or damages, the
/// daemon has. Used from any thread.
class ContentMirror {
  public:
    /// @param url    of the cache, as the daemon's; @throws Error{invalid_argument}
    /// @param token  the worker's, which the cache shows to the daemon
    ContentMirror(const std::string& url, const std::string& token);

    /// As download_content. A cache that fails is logged once, and not asked for a minute.
    /// @return  whether the file is there, checked
    bool fetch(
        const std::string& path,
        const Digest& digest,
        const std::filesystem::path& file,
        const http::CallOptions& options);

  private:
    using Steady = std::chrono::steady_clock;

    http::Client client_;
    std::string url_;
    std::mutex mutex_;
    Steady::time_point ask_at_;
    bool failing_ = false;
};

}  // namespace vigil::worker
