#pragma once

#include <cstdint>
#include <optional>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/source/nightly_source.hpp"
#include "service/store/database.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/work/jobs.hpp"

// A nightly comes in and becomes jobs.

namespace vigil::service {

/// The build of what a source offers, made when missing. An archive is content from now on.
BuildId ensure_offered_build(
    Database& db, ProjectId project, const NightlyOffer& offer, std::int64_t now_s);

enum class Arrival {
    fresh,  ///< recorded, and its jobs planned
    again,  ///< the same build was recorded before: nothing to measure
    none,   ///< the source has no nightly
};

/// How many jobs one night of a project has.
std::int64_t count_night_jobs(const ProjectConfig& config);

/// Makes a nightly's jobs: one for each benchmark variant and machine class.
/// @return  how many
int plan_jobs(
    Database& db,
    const ProjectConfig& config,
    ProjectId project,
    NightlyId nightly,
    BuildId build,
    Priority priority,
    std::int64_t now_s);

/// Whether ids before a project's first night stay free, for a backfill.
enum class FirstId { next, after_room };

/// Records what the source answered to one trigger, ends the trigger, and plans the jobs of a
/// nightly not seen before. The same revision with other content is measured; the same content is
/// the same build. What was asked for by name and is not newer than the newest night is measured
/// beside the nights, after their jobs; a build that was measured so and is offered as tonight's is
/// measured again as a night. Whatever it was, an event says so: never silence.
Arrival record_nightly(
    Database& db,
    TriggerId trigger,
    const ProjectConfig& project,
    const std::optional<NightlyOffer>& offer,
    std::int64_t now_s,
    FirstId first_id = FirstId::next);

/// Plans the jobs of a nightly anew that ended without a run because its build failed, while it may
/// yet be built on their machine class or has been built since: a build that fails once costs the
/// night no value. Each plan at most so often as a build is tried, and once more.
/// @return  how many
int repeat_unbuilt_jobs(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s);

}  // namespace vigil::service
