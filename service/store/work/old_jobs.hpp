#pragma once

#include <cstdint>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Jobs of a night that is old, and the removal of what they measured.

namespace vigil::service {

/// The newest measurements of each series are never removed: they tell how it is run, how long that
/// takes, and that it is no new series.
constexpr int newest_measurements = 20;

/// A night's own jobs and those of its sessions, in their order.
/// @param from  the first that may be in it
std::vector<JobId> list_old_jobs(Database& db, NightlyId nightly, JobId from, int limit);

/// Whether one of them may go: it is done, its first attempt was accepted, no run of it failed, its
/// session found nothing or the machine's move, and nothing stands on it: no import, no callback,
/// no storm, no chosen batch, none of the `newest_measurements` of a series, no regression. A
/// regression needs the jobs of its variants in the nights in which they were last good, confirmed
/// and recovered, and until it is reported all after the first of these: reported ones may stay
/// open for years.
bool is_uneventful(Database& db, JobId job);

/// Removes up to `limit` measurements of a job, those too that cannot be judged, and nothing else.
/// @return  how many are gone: fewer than `limit`, and the job has none any more
std::int64_t remove_measurements(Database& db, JobId job, std::int64_t limit);

}  // namespace vigil::service
