#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

#include "schema/http/client.hpp"
#include "schema/model/text_ids.hpp"

namespace vigil::worker {

/// Something other than the daemon that has content: an HTTP cache, an object store. Nothing
/// depends on it: what it lacks, refuses or damages, the daemon has. Used from any thread.
class ContentMirror {
  public:
    /// @param name  for the log
    explicit ContentMirror(std::string name) : name_(std::move(name)) {}

    /// Whether it may be asked. One that failed is left alone for a minute.
    bool is_open() const;

    /// GET into a new file, which is checked; redirects are not followed. Wrong bytes are logged
    /// each time, other failures once until it works again.
    /// @return  whether the file is there, and right; if not, none is left
    bool fetch(
        const http::Client& from,
        const std::string& path,
        const Digest& digest,
        const std::filesystem::path& file,
        http::CallOptions options);

    /// It did not work, for this reason.
    void note_failure(const std::string& why);

  private:
    using Steady = std::chrono::steady_clock;

    const std::string name_;
    mutable std::mutex mutex_;
    Steady::time_point open_at_;
    bool failing_ = false;
};

}  // namespace vigil::worker
