#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/job.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"
#include "service/runtime/clock.hpp"
#include "service/store/database.hpp"

// The job queue and its leases, whose terms are counted in steady time. Every function runs in the
// caller's transaction on the writer.

namespace vigil::service {

/// Larger goes first: what is nearest to a report.
enum class Priority { request = 20, nightly = 50, probe = 70, verify = 75, confirm = 80 };

struct NewJob {
    ProjectId project;
    MachineClassId machine_class;
    Purpose purpose = Purpose::nightly;
    Priority priority = Priority::nightly;
    std::optional<NightlyId> nightly;
    std::optional<SessionId> session;
    std::optional<ProbeId> probe;
    std::optional<WorkerId> only_worker;  ///< nobody else may take it
    std::vector<BuildId> builds;          ///< what the plan's steps point at
    JobPlan plan;
};

JobId add_job(Database& db, const NewJob& job, std::int64_t now_s);

/// The job that this worker should do now: of its machine class, highest priority first, then
/// oldest. Records the attempt and the lease. A quarantined or draining worker gets none.
std::optional<Lease> claim_job(
    Database& db, const Config& config, WorkerId worker, const Moment& now);

struct HeartbeatReply {
    bool cancel = false;  ///< the job was cancelled: stop, and claim the next
    std::int64_t ttl_s = 0;
};

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

/// What became of a result.
enum class Taking {
    taken,
    again,    ///< the very result that was taken before
    stale,    ///< of an attempt that is over: the job went to somebody else, or was cancelled
    foreign,  ///< of another ledger's attempt: this one is new, or was restored
};

/// What is computed of the samples of one metric of one run.
struct SampleFigures {
    double median = 0;
    double trimmed_mean = 0;  ///< without the tenth at either end; of times only
    double spread = 0;
};

/// A result with the digest that tells it from others, and its figures by run and metric.
struct WrittenResult {
    JobResult result;
    Digest digest;
    std::vector<std::vector<SampleFigures>> figures;
};

/// Takes as long as the result is large: not for the ledger's writer.
WrittenResult write_result(JobResult result);

/// Records a result: products, environments, runs, measurements; the job is done. The same result
/// again changes nothing. A result with a `failure` counts as a lost attempt, unless the worker is
/// to blame: then it is held, and the job waits again as before. A stale or foreign one is recorded
/// as such and otherwise ignored.
/// @throws Error{invalid_argument} when the result does not fit the job
Taking finish_job(
    Database& db,
    const JobConfig& rules,
    JobId job,
    int attempt,
    WorkerId worker,
    const WrittenResult& result,
    std::int64_t now_s);

/// The same for a result whose digest is not known yet.
Taking finish_job(
    Database& db,
    const JobConfig& rules,
    JobId job,
    int attempt,
    WorkerId worker,
    const JobResult& result,
    std::int64_t now_s);

/// Takes back the leases that have expired. @return how many
int expire_leases(Database& db, const JobConfig& rules, const Moment& now);

/// Gives every lease a whole new term: while no daemon ran, no worker could renew its own.
/// @return how many
int renew_leases(Database& db, const JobConfig& rules, std::int64_t steady_s);

/// Ends the jobs that no worker came for within a day of steady time, so that a machine class
/// without workers does not hold up the nights after this one; one that is meant for one worker
/// after an hour, where that worker is not there. A job waits from the first call that sees it.
/// @return how many
int cancel_unclaimed(Database& db, const JobConfig& rules, const Moment& now);

/// Ends a job that is not over. @throws Error{not_found}, Error{conflict} when it is over
void cancel_job(Database& db, JobId job, std::int64_t now_s);

}  // namespace vigil::service
