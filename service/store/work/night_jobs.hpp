#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/class_variant.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/job.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// The jobs of a nightly (tables job and attempt). Its own jobs are those of purpose `nightly`.

namespace vigil::service {

/// Whether one of its own jobs has not ended.
bool has_open_jobs(Database& db, NightlyId nightly);

/// Jobs that have not ended and only the judgement of the night needs: its own, its sessions', its
/// canaries'. A probe of a search is somebody else's.
std::vector<JobId> list_open_judgement_jobs(Database& db, NightlyId nightly);

/// Jobs that have not ended, of sessions of the night on which no suspicion stands any more.
std::vector<JobId> list_idle_session_jobs(Database& db, NightlyId nightly);

/// Cancels whatever has not ended, the attempts too, without a look at any row and without events.
void cancel_open_jobs(Database& db, NightlyId nightly, const std::string& why, std::int64_t now_s);

/// Jobs that ended in one state without being done.
struct UndoneJobs {
    JobState state = JobState::parked;
    std::int64_t count = 0;
    std::string message;  ///< of one of them; may be empty
};
/// By state, in the order parked, failed, cancelled.
std::vector<UndoneJobs> list_undone_jobs(Database& db, NightlyId nightly);

/// The machine class of a nightly's first job that ended with a result.
std::optional<MachineClassId> find_first_class(Database& db, NightlyId nightly);

std::optional<std::string> find_job_message(Database& db, NightlyId nightly);

/// What its own jobs were to measure, with the JSON of the benchmark's plan.
std::map<ClassVariant, std::string> list_planned_variants(Database& db, NightlyId nightly);

/// The night that a job is of, while it is measured.
struct MeasuredNight {
    NightlyId nightly;
    int priority = 0;  ///< of the job
};
std::optional<MeasuredNight> find_measured_night(Database& db, JobId job);

/// Its own jobs of one plan and machine class, none of which made a run because the build failed.
struct UnbuiltJobs {
    MachineClassId machine_class;
    JobPlan plan;
    int priority = 0;
};
/// Only of what may yet be built, or has been built since, on the machine class: a toolchain of its
/// active workers has the product, or has failed less than `tries` times. And only where there are
/// not more than `tries` of them.
std::vector<UnbuiltJobs> list_unbuilt_jobs(
    Database& db, NightlyId nightly, BuildId build, const Digest& recipe, int tries);

/// Fails the waiting jobs of a nightly on every machine class of which one toolchain or more have
/// failed with this recipe so often, and none has built it. @return how many
int fail_unbuildable_jobs(
    Database& db,
    NightlyId nightly,
    BuildId build,
    const Digest& recipe,
    int failures,
    std::int64_t now_s);

}  // namespace vigil::service
