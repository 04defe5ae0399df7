#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "worker/lease/service_api.hpp"

namespace vigil::worker {

/// A result and the content it names, on its way to the service.
struct OutgoingResult {
    JobId job;
    int attempt = 0;
    JobResult result;
    struct Content {
        ContentKind kind = ContentKind::log;
        std::filesystem::path file;
    };
    std::map<Digest, Content> contents;
};

/// Results on disk until the service has acknowledged them: a folder for each, complete when it has
/// its name, so that a killed worker sends it after its restart.
class ResultBox {
  public:
    /// @param folder  made when missing; must be this box's alone
    explicit ResultBox(std::filesystem::path folder);

    /// On disk, synced, when this returns. Content is linked or copied.
    /// @throws Error{unavailable} when the disk is full or fails
    void keep(const OutgoingResult& outgoing);

    /// Sends what is kept, oldest first, and forgets what is acknowledged. What the service refuses
    /// (a stale attempt, an unknown job, a lease of another ledger) is logged and set aside in
    /// "refused".
    /// @return whether nothing is left; false: the service could not be reached, try again later
    /// @throws Error{denied} when the token is refused; all is kept
    bool deliver(ServiceApi& service);

    bool empty() const;

  private:
    enum class Sent { acknowledged, refused, not_now };
    Sent send(const std::filesystem::path& folder, ServiceApi& service);

    std::filesystem::path folder_;
};

}  // namespace vigil::worker
