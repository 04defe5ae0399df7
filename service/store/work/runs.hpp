#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schema/model/class_variant.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/job.hpp"
#include "service/store/database.hpp"
#include "service/store/work/jobs.hpp"

// Tables `run`, `environment`, `measurement`, `unjudged_measurement`, `run_fact` and
// `chosen_batch`: what jobs ran and measured. Only the newest attempt of a job counts.

namespace vigil::service {

struct MeasuredRun {
    BuildId build;
    bool passed = false;
    ClassVariant variant;
    std::string case_name;              ///< that ran alone; empty: the whole program
    std::map<SeriesId, double> values;  ///< medians that can be judged, in the metric's unit
    std::set<std::string> failed_cases = {};
};

/// The runs of a job's newest attempt, in the order of its steps.
std::vector<MeasuredRun> list_measured_runs(Database& db, JobId job);

/// How long the newest runs of a series took, on average; nullopt: there is none.
std::optional<double> find_usual_run_ns(Database& db, SeriesId series);

/// Variants of a benchmark of which a job has a run that passed.
std::vector<std::string> list_job_variants(Database& db, JobId job, const std::string& benchmark);

std::int64_t count_runs(Database& db, JobId job);

/// The series of which a job has values, those that cannot be judged too.
std::vector<SeriesId> list_job_series(Database& db, JobId job);

/// Whether another job than this one has a value of the series.
bool has_values_beside(Database& db, SeriesId series, JobId job);

/// The runs of a job with all that they measured.
void remove_runs(Database& db, JobId job);

// Of the own jobs of a nightly:

bool has_values(Database& db, NightlyId nightly);

/// Whether this worker ran something, in any attempt.
bool has_runs_of(Database& db, NightlyId nightly, WorkerId worker);

/// Variants with a run that passed.
std::set<ClassVariant> list_passed_variants(Database& db, NightlyId nightly);

/// A variant none of whose runs passed.
struct SilentVariant {
    ClassVariant variant;
    std::string outcome;
    std::string message;  ///< of one run; may be empty
};
/// Runs that are left out of all judgement (view left_out), and variants that are only
/// `unsupported`, are not looked at.
std::vector<SilentVariant> list_silent_variants(Database& db, NightlyId nightly);

/// A series with runs that passed, and a value of it that cannot be judged.
struct UnjudgedValue {
    SeriesId series;
    std::string reason;
};
/// In the order of the series, which may have other values that can.
std::vector<UnjudgedValue> list_unjudged_values(Database& db, NightlyId nightly);

std::optional<std::string> find_unjudged_reason(Database& db, NightlyId nightly);

/// The row of facts of a machine, made when missing; nullopt where there are none.
std::optional<EnvironmentId> ensure_environment(
    Database& db, const std::map<std::string, std::string>& facts);

/// What was run, and on which build.
struct RunSubject {
    BuildId build;
    std::string benchmark;
    std::string variant;
    std::optional<EnvironmentId> environment;
    std::string case_name = {};  ///< that ran alone; empty: the whole program
};

/// Adds a run of a leased job's newest attempt, by its worker.
RunId add_run(Database& db, const JobRow& job, const RunSubject& subject, const RunOutcome& run);

/// What a run says of itself beside its samples; each name once.
void add_run_facts(Database& db, RunId run, const std::vector<RunFact>& facts);

/// The batch that the variant's first run with `--batch auto` chose; nullopt: none did.
std::optional<std::int64_t> find_chosen_batch(
    Database& db, ProjectId project, const ClassVariant& variant);
/// Keeps what a run chose; the first choice stays.
/// @return  the choice that counts
std::int64_t keep_chosen_batch(
    Database& db, ProjectId project, const ClassVariant& variant, std::int64_t batch, RunId run);

/// A variant all of whose runs of the night passed and leak: at least two, the interval of each
/// above what counts as nothing.
struct LeakingVariant {
    ClassVariant variant;
    int runs = 0;
    double low = 0;  ///< bytes an iteration: the least of the intervals
    double high = 0;
};
std::vector<LeakingVariant> list_leaking_variants(Database& db, NightlyId nightly);
/// Whether a run of the variant in this night leaked.
bool has_leak(Database& db, NightlyId nightly, const ClassVariant& variant);

/// A run's samples of one metric, summarised; metric's unit.
struct NewMeasurement {
    RunId run;
    SeriesId series;
    double value = 0;
    double spread = 0;
};

/// @param samples  [n] in order
void add_measurement(
    Database& db, const NewMeasurement& measurement, const std::vector<double>& samples);

/// Adds one that no series is judged by. Its value and spread are not stored.
/// @param why  one line
void add_unjudged_measurement(
    Database& db,
    const NewMeasurement& measurement,
    const std::vector<double>& samples,
    const std::string& why);

}  // namespace vigil::service
