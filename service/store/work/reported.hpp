#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "service/store/database.hpp"

// What ran, as reports tell of it: the rows of `job`, `attempt` and `run` with what they point at.

namespace vigil::service {

/// The jobs of one purpose.
struct NightWorkFact {
    std::map<JobState, int> jobs;
    std::int64_t runs = 0;
    std::int64_t machine_s = 0;            ///< time workers spent on them, lost attempts too
    std::map<Outcome, int> outcomes = {};  ///< of their runs
};
std::map<Purpose, NightWorkFact> load_night_work(Database& db, NightlyId nightly);

/// Attempts of the night's jobs that a worker did not bring to an end. Their jobs were made again,
/// or parked: then they are missing as well.
struct LostFact {
    std::string worker;
    std::int64_t attempts = 0;
    std::string why;
};
std::vector<LostFact> list_lost(Database& db, NightlyId nightly, int limit);

/// Something that should have happened and did not, one for each cause. The texts may be a
/// stranger's.
struct MissingFact {
    std::string what;  ///< "job 12 (nightly)", "build of 1a2b3c4d5e", "worker w1"
    std::string why;
    bool in_sandbox = false;  ///< what a build or a run said: its paths tell where to look
};
/// Of a nightly: jobs, runs, builds, series, workers and their canaries.
/// @param limit  of each kind
std::vector<MissingFact> list_missing(Database& db, NightlyId nightly, int limit);
/// Since the project's night before it: what went wrong before a night could begin.
std::vector<MissingFact> list_missing_before(
    Database& db, ProjectId project, NightlyId nightly, int limit);

/// The newest job that ran a variant on a build.
std::optional<JobId> find_job_that_ran(
    Database& db, BuildId build, const std::string& benchmark, const std::string& variant);

enum class RangeEnd { good, bad };
/// JSON objects: facts of the machines on which one end of a regression's confirmation ran.
std::vector<std::string> list_session_environments(
    Database& db, RegressionId regression, RangeEnd end);
/// The same of the two nights' own runs.
std::vector<std::string> list_night_environments(
    Database& db, RegressionId regression, RangeEnd end);

/// A number that a run of a session said beside its samples.
struct SessionFact {
    SessionId session;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    std::string name;
    bool is_good = false;  ///< of the build before
    double value = 0;
};
/// What can move a number and is none: faults, switches, clocks. Of all runs that passed in the
/// sessions of a regression's series, by session.
std::vector<SessionFact> list_session_facts(Database& db, RegressionId regression);

}  // namespace vigil::service
