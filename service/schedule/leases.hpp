#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "schema/model/job.hpp"
#include "service/config/config.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/database.hpp"
#include "service/store/work/jobs.hpp"

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

/// Ends the newest attempt; the job waits again, or is parked.
/// @param end  its outcome is lost or failed
void lose_attempt(
    Database& db,
    const JobConfig& rules,
    const JobRow& job,
    const AttemptEnd& end,
    std::int64_t now_s);

/// Ends the newest attempt as if the job had never been claimed.
/// @param end  its outcome is released, where nothing of it ran, or lost
void give_back(Database& db, const JobRow& job, const AttemptEnd& end, std::int64_t now_s);

/// Whether a lost lease counts as one of its job's lost attempts.
enum class LeaseLoss { counted, forgiven };

/// Takes back what a worker has under lease whose machine is gone.
/// @param loss  forgiven: no job had to do with it, each waits again as before
void take_back_leases(
    Database& db,
    const JobConfig& rules,
    WorkerId worker,
    const std::string& why,
    LeaseLoss loss,
    std::int64_t now_s);

/// Ends a job whose rows cannot be read, so that the others are claimed, lost and cancelled.
void end_unreadable(Database& db, const JobRow& job, const std::string& why, std::int64_t now_s);

}  // namespace vigil::service
