#pragma once

#include <cstdint>
#include <optional>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Nights that are rolled up (table rolled_night, nightly.rolled_up_at_s): what is gone of them.

namespace vigil::service {

/// One whose roll-up has begun and not ended.
struct RollingNight {
    NightlyId nightly;
    JobId next_job;                   ///< the jobs before it were looked at
    std::optional<JobId> going;       ///< that job is being taken apart
    SuspicionId next_suspicion = {};  ///< the suspicions before it were looked at
};
std::optional<RollingNight> find_rolling(Database& db);

/// The oldest of a project whose roll-up has not begun and may begin: it is over, no backfill that
/// goes on made it, and at least `raw_nights` nights are newer. nullopt: there is none
/// @param raw_nights  1 or more
std::optional<NightlyId> find_night_to_roll(Database& db, ProjectId project, int raw_nights);

/// How many of a project wait so, counted up to `most`.
int count_nights_to_roll(Database& db, ProjectId project, int raw_nights, int most);

void begin_roll_up(Database& db, NightlyId nightly, std::int64_t now_s);

/// Counts a job of the night that is about to go, with all that it holds.
void count_rolled(Database& db, NightlyId nightly, JobId job);
/// How far the roll-up has come.
/// @param kept_jobs  that were looked at since and stay
void note_rolling(Database& db, const RollingNight& night, int kept_jobs);
/// The same of its suspicions.
/// @param shortened  since then
void note_shortened(Database& db, const RollingNight& night, int shortened);
void end_roll_up(Database& db, NightlyId nightly, std::int64_t now_s);

/// What is told of a night that is rolled up.
struct RolledUp {
    std::int64_t at_s = 0;  ///< UTC; when it began
    std::int64_t runs = 0;  ///< that are gone
};
std::optional<RolledUp> find_rolled_up(Database& db, NightlyId nightly);

}  // namespace vigil::service
