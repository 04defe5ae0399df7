#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "schema/model/job.hpp"
#include "service/config/config.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/database.hpp"

// How long a worker may keep a job. Terms are counted in steady time. Every function runs in the
// caller's transaction on the writer.

namespace vigil::service {

/// Renews a lease. @throws Error{conflict} when the attempt is not the job's newest or has ended
HeartbeatReply heartbeat(
    Database& db,
    const JobConfig& rules,
    JobId job,
    int attempt,
    WorkerId worker,
    const std::string& progress,
    const Moment& now);

/// A process of the worker claims. When it is another one than before, that one is gone, and what
/// it had under lease is lost at once. Nothing happens when the process is not told.
/// @param instance  of the process, drawn by lot at its start; empty: not told
/// @throws Error{conflict} when a later process of this worker has claimed since: two of them run
void meet_process(
    Database& db,
    const JobConfig& rules,
    WorkerId worker,
    const std::string& instance,
    std::int64_t now_s);

/// Takes back the leases that have expired. @return how many
int expire_leases(Database& db, const JobConfig& rules, const Moment& now);

/// Gives every lease a whole new term: while no daemon ran, no worker could renew its own.
/// @return how many
int renew_leases(Database& db, const JobConfig& rules, std::int64_t steady_s);

}  // namespace vigil::service
