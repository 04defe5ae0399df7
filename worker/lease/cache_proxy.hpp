#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "schema/http/client.hpp"
#include "worker/lease/build_cache.hpp"
#include "worker/run/own_descriptor.hpp"

namespace vigil::worker {

/// A question of a compiler's cache. Pure.
struct CacheQuestion {
    std::string method;       ///< GET, HEAD or PUT
    std::string path;         ///< an entry's, below the cache's address
    std::int64_t length = 0;  ///< of the body
};

/// Longest header of a question, and largest entry.
inline constexpr std::size_t max_question_bytes = 8 * 1024;
inline constexpr std::int64_t max_entry_bytes = std::int64_t{32} << 20;

/// @param head  a request's header with its empty line
/// @return nothing: it is none that a cache is asked
std::optional<CacheQuestion> parse_question(std::string_view head);

/// Stands between the compilers of one build and a compiler cache that is reached by HTTP. A build
/// has no network; vigil-child hands out a port of its sandbox's loopback, on which this answers.
/// So a build can fetch entries and, where it may write, add some. It sees neither the cache's
/// address nor its token, and reaches nothing else there. A cache that fails twice is left alone
/// for the rest of the build: everything is "not found" then, and compilers do the work themselves.
class CacheProxy {
  public:
    /// @param sandboxed  whether the build has a loopback of its own; else a free port of this
    ///                   machine's is used
    /// @throws Error{unavailable} when no socket can be made
    CacheProxy(const BuildCache& cache, MountAccess access, bool sandboxed);
    ~CacheProxy();
    CacheProxy(const CacheProxy&) = delete;
    CacheProxy& operator=(const CacheProxy&) = delete;

    /// For RunRequest::channel.
    int channel() const { return child_end_.get(); }
    /// What the compilers are told.
    std::string url() const;

    int hits() const { return hits_; }
    int stored() const { return stored_; }
    bool is_down() const { return failures_ >= max_failures; }

  private:
    static constexpr int max_failures = 2;

    void receive();
    void serve();
    void answer(int connection);
    http::Response ask(const CacheQuestion& question, const std::string& body);
    std::shared_ptr<OwnDescriptor> listener();

    http::Client client_;
    MountAccess access_;
    OwnDescriptor own_end_;
    OwnDescriptor child_end_;
    std::mutex mutex_;
    std::shared_ptr<OwnDescriptor> listener_;
    int port_;
    std::atomic<int> hits_ = 0;
    std::atomic<int> stored_ = 0;
    std::atomic<int> failures_ = 0;
    std::atomic<std::int64_t> stored_bytes_ = 0;
    std::atomic<bool> stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace vigil::worker
