#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/store/series/suspicions.hpp"

// The table `session`: builds of a night and of earlier ones that are measured again side by side.
// Its blocks are jobs, and several suspicions may stand on one. That of a request is of two builds
// that were named.

namespace vigil::service {

struct SessionRow {
    SessionId id;
    ProjectId project;
    std::optional<NightlyId> nightly;
    std::string benchmark;
    std::string variant;
    MachineClassId machine_class;
    std::vector<NightlyId> old_nights;  ///< whose builds are side A, in turn
    BuildId new_build;                  ///< side B
    bool same_source = false;           ///< both sides are builds of one revision
    std::optional<RequestId> request;   ///< it is for this, and no night's
    BuildId old_build;                  ///< side A of a request's
    std::string case_name;              ///< that runs alone; empty: the whole program runs
};
/// @throws Error{not_found}; another where its old nights cannot be read
SessionRow load_session(Database& db, SessionId session);

/// The session of a night for the benchmark variant and machine class of this suspicion's series,
/// against the same old builds; opened when there is none.
/// @param case_name  that runs alone; empty: the whole program runs
SessionId ensure_session(
    Database& db, const OpenSuspicion& suspicion, const std::string& case_name, std::int64_t now_s);

/// Open sessions in which a case was to run alone run the whole program from now on.
void run_whole(
    Database& db,
    ProjectId project,
    const std::string& benchmark,
    const std::string& variant,
    const std::string& case_name);

/// Whether one of these sessions ran the case alone.
bool has_case_session(
    Database& db, const std::vector<SessionId>& sessions, const SeriesRow& series);

void end_session(Database& db, SessionId session);

/// Ends all sessions of the night.
void end_all_sessions(Database& db, NightlyId nightly);

/// Ends the sessions of the night on which no suspicion stands any more.
void end_idle_sessions(Database& db, NightlyId nightly);

/// One of a session's jobs.
struct SessionJob {
    JobId id;
    bool is_open = false;   ///< queued or leased
    std::size_t asked = 0;  ///< runs that it asked for
    int sides_passed = 0;   ///< of how many of the two sides some run passed
};
/// In the order they were asked for.
std::vector<SessionJob> list_session_jobs(Database& db, SessionId session);

/// Runs of a session's jobs that are done: of the old builds (A) and of the new one. Of a case a
/// run in which it failed has not passed. Runs of the other kind (a case alone, the whole program)
/// do not count.
struct OutcomeCounts {
    int a_runs = 0, a_passed = 0, b_runs = 0, b_passed = 0;
};
/// @param case_name  empty: of the program itself
OutcomeCounts count_outcomes(Database& db, SessionId session, const std::string& case_name = "");

/// What a passed run of them measured of one series.
struct SessionValue {
    JobId job;
    bool is_new = false;
    double value = 0;  ///< metric's unit
};
/// In the order they ran.
std::vector<SessionValue> list_session_values(Database& db, SessionId session, SeriesId series);

/// Runs for measuring again that a night has asked for, and that were not in vain.
struct ConfirmRuns {
    bool goes_on = false;  ///< of a session that is open
    int runs = 0;
};
/// Session by session; those of storms' checks are one.
std::vector<ConfirmRuns> list_confirm_runs(Database& db, NightlyId nightly);

}  // namespace vigil::service
