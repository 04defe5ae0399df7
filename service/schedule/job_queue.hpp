#pragma once

#include <cstdint>
#include <optional>

#include "schema/model/job.hpp"
#include "service/config/config.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/database.hpp"
#include "service/store/work/jobs.hpp"

// Who gets which job, and how long a job waits. Every function runs in the caller's transaction on
// the writer.

namespace vigil::service {

/// The job that this worker should do now: of its machine class, highest priority first, then
/// oldest; nothing of a project whose budget of the day is spent (day_budget.hpp). Records the
/// attempt and the lease. A quarantined or draining worker gets none.
std::optional<Lease> claim_job(
    Database& db, const Config& config, WorkerId worker, const Moment& now);

/// Whether a claim of this worker would be given a job of more than this priority, that was asked
/// for at `asked_s` or before (UTC). Nothing changes.
bool has_work_above(
    Database& db,
    const Config& config,
    WorkerId worker,
    Priority priority,
    std::int64_t asked_s,
    std::int64_t now_s);

/// Ends the jobs that no worker came for within a day of steady time, so that a machine class
/// without workers does not hold up the nights after this one; one that is meant for one worker
/// after an hour, where that worker is not there; one that is meant for any other worker than one
/// after 30 minutes. A job waits from the first call that sees it.
/// @return how many
int cancel_unclaimed(Database& db, const Config& config, const Moment& now);

/// Ends a job that is not over. @throws Error{not_found}, Error{conflict} when it is over
void cancel_job(Database& db, JobId job, std::int64_t now_s);

}  // namespace vigil::service
