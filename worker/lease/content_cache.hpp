#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>

#include "schema/model/text_ids.hpp"
#include "worker/lease/service_api.hpp"

namespace vigil::worker {

/// Content by digest on this worker's disk, bounded; what was used longest ago goes first. Used
/// from one thread.
class ContentCache {
  public:
    /// @param folder  made when missing; must be this cache's alone
    ContentCache(std::filesystem::path folder, std::int64_t max_bytes);

    /// The content's file, fetched and checked when it is not there. It stays at least until
    /// `release_all`.
    /// @throws Error{invalid_argument} when what came has another digest, and the service's errors
    std::filesystem::path fetch(const Digest& digest, ServiceApi& service);

    /// Takes over a file that was made here. The file is gone afterwards.
    /// @return its digest
    Digest adopt(const std::filesystem::path& file);

    /// The content's file. @throws Error{not_found}
    std::filesystem::path load(const Digest& digest);

    /// A job is over: content that it held may go.
    void release_all();

    std::int64_t bytes() const;

  private:
    std::filesystem::path path_of(const Digest& digest) const;
    void use(const Digest& digest);
    void make_room();

    struct Held {
        std::int64_t bytes = 0;
        std::int64_t last_use = 0;
        bool pinned = false;
    };
    std::filesystem::path folder_;
    std::int64_t max_bytes_;
    std::int64_t uses_ = 0;
    std::map<Digest, Held> held_;
};

}  // namespace vigil::worker
