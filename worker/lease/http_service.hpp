#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "schema/http/client.hpp"
#include "worker/lease/content_mirror.hpp"
#include "worker/lease/service_api.hpp"

namespace vigil::worker {

/// The service behind its HTTP interface (schema/http/openapi.yaml, /api/v1/worker).
class HttpService : public ServiceApi {
  public:
    /// @param draining      ends a long poll when it turns true; must outlive this
    /// @param content_from  an HTTP cache before the service; empty: none
    /// @throws Error{invalid_argument} when a URL is not one
    HttpService(
        const std::string& server,
        const std::string& token,
        const std::atomic<bool>& draining,
        const std::string& content_from = "");

    std::optional<Lease> claim(const Claim& claim, int wait_s) override;
    HeartbeatReply heartbeat(JobId job, int attempt, const std::string& progress) override;
    void put_result(JobId job, int attempt, const std::string& result) override;
    void fetch_content(
        const Digest& digest, const std::filesystem::path& file, std::int64_t max_bytes) override;
    void put_content(
        const Digest& digest, ContentKind kind, const std::filesystem::path& file) override;

  private:
    bool fetch_from_store(
        const http::Response& redirect,
        const Digest& digest,
        const std::filesystem::path& file,
        const http::CallOptions& options);

    http::Headers trace_header() const;
    http::CallOptions transfer_options(std::int64_t max_bytes) const;

    http::Client client_;
    std::string traceparent_;  // of the job at hand: set by a claim, when nothing else is asked
    const std::atomic<bool>& draining_;
    std::optional<http::Client> cache_client_;
    ContentMirror cache_;
    ContentMirror store_{"the object store"};
};

}  // namespace vigil::worker
