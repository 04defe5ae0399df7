#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/job.hpp"
#include "schema/model/states.hpp"
#include "service/store/database.hpp"
#include "service/store/work/jobs.hpp"

// What the jobs of one machine class wait for that another class builds (tables job, job_build,
// product and worker).

namespace vigil::service {

/// A build that waiting jobs of a project and class need, and whose input is there.
struct NeededBuildRow {
    BuildId build;
    InputKind input_kind = InputKind::source_tree;
    int priority = 0;                    ///< the highest of them
    Purpose purpose = Purpose::nightly;  ///< of one with that priority
    std::optional<NightlyId> nightly;    ///< of that one
};
/// @param looked_at  waiting jobs at most, the most urgent first
std::vector<NeededBuildRow> list_needed_builds(
    Database& db, MachineClassId machine_class, ProjectId project, int looked_at);

/// The toolchains of a class: those of its active workers, else that of the worker seen last. None:
/// it has had no worker yet.
std::vector<std::string> list_class_toolchains(Database& db, MachineClassId machine_class);

/// What a toolchain made of a build by one recipe.
struct ToolchainProduct {
    std::string toolchain;
    bool built = false;
    int failures = 0;
};
std::vector<ToolchainProduct> list_products(Database& db, BuildId build, const Digest& recipe);

/// A job of a class that builds one build and measures nothing.
struct BuildJob {
    JobId id;
    JobState state = JobState::queued;
    int priority = 0;
};
/// The newest of a class.
std::optional<BuildJob> find_newest_build_job(
    Database& db, MachineClassId machine_class, BuildId build);

/// The oldest waiting job of a class that needs a build.
std::optional<JobId> find_oldest_waiting(Database& db, MachineClassId machine_class, BuildId build);

void set_priority(Database& db, JobId job, int priority);

/// The waiting jobs of a class that need a build and are older than a job.
std::vector<JobRow> list_waiting_before(
    Database& db, MachineClassId machine_class, BuildId build, JobId before);

/// How many waiting jobs of a class, for any worker, need a build that an open job of another class
/// makes.
int count_waiting_for_builds(
    Database& db, MachineClassId machine_class, MachineClassId build_class);

}  // namespace vigil::service
