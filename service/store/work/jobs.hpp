#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "schema/model/job.hpp"
#include "service/store/database.hpp"
#include "service/store/work/claimers.hpp"

// Tables `job`, `job_build` and `attempt`: what workers are to do, who has it under lease, and how
// that ended. Terms of leases and waits are seconds of steady time.

namespace vigil {

enum class AttemptOutcome {
    done,
    failed,    ///< the worker could not do the job
    lost,      ///< the lease expired, or the worker's process is gone
    released,  ///< the worker failed before anything ran, which was held against it
    cancelled,
};

}  // namespace vigil

namespace vigil::service {

/// Larger goes first: what is nearest to a report.
enum class Priority {
    why = 3,
    backfill = 5,
    improvement = 8,
    mending = 10,
    request = 20,
    nightly = 50,
    probe = 70,
    verify = 75,
    confirm = 80
};

struct NewJob {
    ProjectId project;
    MachineClassId machine_class;
    Purpose purpose = Purpose::nightly;
    Priority priority = Priority::nightly;
    std::optional<NightlyId> nightly;
    std::optional<SessionId> session;
    std::optional<ProbeId> probe;
    std::optional<WorkerId> only_worker;    ///< nobody else may take it
    std::optional<WorkerId> except_worker;  ///< it may not take it
    std::vector<BuildId> builds;            ///< what the plan's steps point at
    JobPlan plan;
};

/// Adds a job that waits. Event "job.queued".
JobId add_job(Database& db, const NewJob& job, std::int64_t now_s);

struct JobRow {
    JobId id;
    ProjectId project;
    MachineClassId machine_class;
    Purpose purpose = Purpose::nightly;
    JobState state = JobState::queued;
    int attempt = 0;  ///< number of the newest; 0: nobody has claimed it yet
    int lost_attempts = 0;
    std::optional<WorkerId> worker;                  ///< that has it, did it, or had it at its end
    std::optional<std::int64_t> lease_expires_at_s;  ///< steady; while it is leased
};

JobRow load_job(Database& db, JobId job);

/// The only worker that may take a job that has one.
WorkerId find_only_worker(Database& db, JobId job);

/// Why a job is in its state; may be empty.
std::string load_job_message(Database& db, JobId job);

/// The plan of a job that exists. @throws Error{invalid_argument} when it cannot be read
JobPlan load_plan(Database& db, JobId job);

/// What the plan's steps point at, in that order.
std::vector<BuildId> list_job_builds(Database& db, JobId job);

/// The jobs of a session that ended with a result, in the order they were asked for.
std::vector<JobId> list_done_jobs(Database& db, SessionId session);

void record_job(
    Database& db,
    const JobRow& job,
    std::string_view kind,
    std::string_view message,
    std::int64_t now_s);

struct JobMove {
    JobState to = JobState::queued;
    std::optional<WorkerId> worker = {};  ///< who takes it: of `leased` alone
    std::optional<std::int64_t> lease_expires_at_s = {};
    bool lost = false;  ///< its attempt was: that is counted, and its wait begins anew
    std::string message = {};
    std::optional<std::int64_t> ended_at_s = {};  ///< of what is over
};

/// Changes the state of a job. `leased` begins the next attempt. `done` and `cancelled` keep the
/// worker, so that it can be told.
/// @throws Error{conflict} where the state machine has no such arrow
void move_job(Database& db, const JobRow& job, const JobMove& move);

/// A job that is over and whose runs are gone, with its attempts. Its events stay.
void remove_job(Database& db, JobId job);
/// The events of a job whose night is rolled up, before it goes.
void remove_job_events(Database& db, JobId job);

/// A job that waits.
struct WaitingJob {
    JobRow job;
    int priority = 0;
};

struct WaitingProject {
    ProjectId id;
    std::string name;
};
/// The projects of which jobs wait for workers of a machine class.
std::vector<WaitingProject> list_waiting_projects(Database& db, MachineClassId machine_class);

/// The jobs of a project that a worker of this machine class may take, highest priority first, then
/// oldest.
std::vector<WaitingJob> list_waiting(
    Database& db, MachineClassId machine_class, ProjectId project, WorkerId worker, int limit);

/// Whether some job of a project waits that has at most this priority.
bool has_queued_up_to(Database& db, ProjectId project, int priority);

/// Whether a job has more than this priority, and was asked for at `asked_s` or before (UTC).
bool is_more_than(Database& db, JobId job, Priority priority, std::int64_t asked_s);

/// How many jobs of a project are under lease on a machine class.
struct LeasedJobs {
    ProjectId project;
    int jobs = 0;
};
std::vector<LeasedJobs> count_leased(Database& db, MachineClassId machine_class);

/// The jobs of a project that wait for a worker of their own, highest priority first, then oldest.
std::vector<JobRow> list_waiting_for_own(Database& db, ProjectId project, int limit);

/// A build that a job needs, as workers of one toolchain get it.
struct JobBuild {
    BuildId id;
    Revision revision;
    InputKind input_kind = InputKind::source_tree;
    Digest input;                   ///< empty: not in the content store yet
    bool no_input = false;          ///< it can never be had
    std::optional<Digest> product;  ///< of that toolchain
    std::string describe;           ///< of a source tree: git describe; empty: not known
    std::int64_t committed_at_s = 0;
};

/// Each kind of input that a job's builds have, once.
std::vector<InputKind> list_input_kinds(Database& db, JobId job);

/// The builds of a job, in the order of its plan.
std::vector<JobBuild> list_job_builds(
    Database& db, JobId job, const Digest& recipe, const std::string& toolchain);

/// Whether a job that waits or runs needs the build.
bool is_under_way(Database& db, BuildId build);

/// Whether a leased job of a worker of this toolchain needs this build.
bool is_being_built(Database& db, BuildId build, const std::string& toolchain);

/// The leased jobs, oldest first.
std::vector<JobRow> list_leased(Database& db);

/// Gives a leased job a new term, with its worker's words on how far it is.
void renew_lease(
    Database& db, JobId job, std::int64_t lease_expires_at_s, const std::string& progress);

/// Gives every leased job a new term: while no daemon ran, no worker could renew its own. What is
/// asked for elsewhere keeps its term.
/// @return how many
int renew_leases(Database& db, std::int64_t lease_expires_at_s);

/// Notes from when on jobs wait that were not seen to wait before.
void note_waiting(Database& db, std::int64_t steady_s);

/// The jobs that wait since `steady_s` or longer, longest first; but for those of backfills, which
/// wait as long as tonight has work.
std::vector<WaitingJob> list_waiting_since(Database& db, std::int64_t steady_s, int limit);

/// A job that waits for the only worker that may take it.
struct WaitsForOne {
    JobRow job;
    ClassWorker worker;
};

/// Those that wait since after `after_s` and up to `until_s` (both steady), longest first; of those
/// that list_waiting_since leaves out, all up to `until_s`.
std::vector<WaitsForOne> list_waiting_for_one(
    Database& db, std::int64_t after_s, std::int64_t until_s);

/// The jobs that wait for any other worker than one, since after `after_s` and up to `until_s`
/// (both steady), longest first.
std::vector<WaitingJob> list_waiting_for_another(
    Database& db, std::int64_t after_s, std::int64_t until_s, int limit);

/// The queued jobs that need a build, oldest first.
std::vector<JobRow> list_queued_for(Database& db, BuildId build);

struct AttemptRow {
    int number = 0;
    WorkerId worker;
    Digest recipe;                          ///< that the lease carried
    std::string key;                        ///< by lot: which ledger's attempt it is
    std::optional<AttemptOutcome> outcome;  ///< nullopt: it goes on
    std::optional<Digest> result;           ///< that was taken
};

/// The attempts of a job, oldest first.
std::vector<AttemptRow> list_attempts(Database& db, JobId job);
std::optional<AttemptRow> find_attempt(Database& db, JobId job, int number);

/// Notes who begins a job's attempt, which goes on.
void add_attempt(Database& db, JobId job, const AttemptRow& attempt, std::int64_t now_s);

struct AttemptEnd {
    AttemptOutcome outcome = AttemptOutcome::done;
    std::string message = {};                  ///< why it has no result, one line
    std::optional<Digest> result = {};         ///< what tells it from others
    std::optional<EnvironmentId> before = {};  ///< of a result: facts of the machine
    std::optional<EnvironmentId> after = {};
    std::string readings = "{}";  ///< JSON object: load, temperature, clocks before and after
    std::int64_t build_s = 0;     ///< of its time: builds
};

/// Ends a job's newest attempt, if it goes on.
void end_attempt(Database& db, const JobRow& job, const AttemptEnd& end, std::int64_t now_s);

/// Counts a result that came too late for an attempt.
void note_stale_result(Database& db, JobId job, int number);

}  // namespace vigil::service
