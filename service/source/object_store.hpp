#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "schema/http/presigned.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"

namespace vigil::service {

/// The largest object that one request may send to S3.
constexpr std::int64_t max_object_bytes = std::int64_t{5} << 30;

/// "https://endpoint/bucket", or "https://bucket.endpoint".
std::string bucket_address(const ObjectStoreConfig& config);

/// A bucket of a store that speaks S3; its objects are named by digest. Every request is presigned,
/// so no secret leaves the daemon. Used from one thread.
class ObjectStore {
  public:
    /// @throws Error{unavailable} when the access key's file cannot be read
    explicit ObjectStore(const ObjectStoreConfig& config);

    /// An address by which whoever has it may fetch the object for a while.
    std::string link(const Digest& digest, std::int64_t now_s) const;

    /// Sends a file; what is there is replaced by the same. @throws Error{unavailable}
    void put(
        const Digest& digest,
        const std::filesystem::path& file,
        std::int64_t now_s,
        const std::atomic<bool>& stop) const;

    /// Nothing when it is not there. @throws Error{unavailable}
    void remove(const Digest& digest, std::int64_t now_s, const std::atomic<bool>& stop) const;

  private:
    std::string path(
        const std::string& method,
        const Digest& digest,
        std::int64_t now_s,
        std::int64_t lasts_s) const;

    std::string address_;
    std::string region_;
    std::int64_t link_s_;
    http::SigningKey key_;
};

}  // namespace vigil::service
