#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "schema/model/job.hpp"

namespace vigil::worker {

/// What a worker says of itself when it asks for a job.
struct Claim {
    Fingerprint fingerprint;
    std::string instance;                            ///< of this process, drawn by lot
    std::map<std::string, std::string> containment;  ///< what holds jobs here: layer -> method
    std::string cannot_work;  ///< why it can do no job now, one line; empty: it can
    bool draining = false;    ///< it ends, and asks for no job
};

/// The service as a worker sees it. Used from the job's thread and the heartbeat's at once.
/// Errors of every function: Error{unavailable} when the service cannot be reached or is too busy
/// (try again), Error{denied} when it does not accept the token, Error{invalid_argument} when it
/// refuses what was said, and what is said below.
class ServiceApi {
  public:
    virtual ~ServiceApi() = default;

    /// Waits up to `wait_s` for a job. @throws Error{conflict} when the protocols differ, or
    /// another process claims with this token
    virtual std::optional<Lease> claim(const Claim& claim, int wait_s) = 0;

    /// @throws Error{conflict} when the lease is no longer ours
    virtual HeartbeatReply heartbeat(JobId job, int attempt, const std::string& progress) = 0;

    /// Saying the same again changes nothing. @param result  JSON of a JobResult
    /// @throws Error{conflict} when the lease is no longer ours
    virtual void put_result(JobId job, int attempt, const std::string& result) = 0;

    /// Into a new file; the digest is the caller's to check. @throws Error{not_found}
    virtual void fetch_content(
        const Digest& digest, const std::filesystem::path& file, std::int64_t max_bytes) = 0;

    /// Sends the file unless the service has that content.
    virtual void put_content(
        const Digest& digest, ContentKind kind, const std::filesystem::path& file) = 0;
};

}  // namespace vigil::worker
