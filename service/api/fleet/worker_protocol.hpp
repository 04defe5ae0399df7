#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/http/message.hpp"
#include "schema/model/job.hpp"
#include "service/api/common/context.hpp"
#include "service/schedule/job_result.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/database.hpp"

// The worker protocol's plain functions; service/http waits between them.

namespace vigil::service {

/// The body of POST /api/v1/worker/claim.
struct ClaimRequest {
    int protocol = protocol_version;
    Fingerprint fingerprint;
    std::int64_t wait_s = 0;
    bool draining = false;  ///< the worker takes no more jobs; it only says that it is there
    std::string instance;   ///< of its process, drawn by lot; empty: not told
    WorkerWords words;
};

/// Reads a claim. Only `protocol` is read of a claim of a protocol that is not spoken: the rest may
/// differ.
/// @throws Error{invalid_argument} when it is malformed
ClaimRequest parse_claim(const std::string& body);

/// The 409 that says which side to upgrade; nothing where the worker's protocol is spoken.
std::optional<http::Response> refuse_protocol(const ClaimRequest& claim, const std::string& path);

/// Why the config keeps the worker of this name out; empty: it does not.
std::string why_kept_out(const std::string& name, const Config& config);

/// Records that the worker is there, and what it shows; leases of an earlier process of it end.
/// @param name  of its token
/// @throws Error{denied} when the config maps no such worker to a machine class, Error{conflict}
///         when another process claims for it
WorkerId greet_worker(
    Database& db,
    const std::string& name,
    const ClaimRequest& claim,
    const HandlerContext& context);

/// A worker that tells nothing of its process gets no key: it would not know the field.
http::Response lease_response(Lease lease, const ClaimRequest& claim);

/// Reads a result; takes as long as it is large: neither the io thread nor the writer does it.
/// @throws Error{invalid_argument} when it is malformed
WrittenResult read_result(const http::Request& request, const std::string& body);

/// Records a result that was read: 204, or 409 when its attempt is over.
http::Response take_result(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const WrittenResult& result);

/// A handler (see Handler in route.hpp).
http::Response post_heartbeat(const http::Request&, Database&, const HandlerContext&);

}  // namespace vigil::service
