#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Time that workers spent on jobs: view `attempt_time`, and its sums by day, table `day_time`. An
// attempt counts from its claim to its end, also where it was lost or cancelled, and for the UTC
// day of its claim. One that goes on is not in the sums.

namespace vigil {

/// What the time was spent for: a job's purpose, and canaries apart.
enum class MachineWork { nightly, confirm, probe, verify, request, canary };

}  // namespace vigil

namespace vigil::service {

constexpr std::int64_t day_of(std::int64_t time_s) {
    constexpr std::int64_t seconds_a_day = 86'400;
    return time_s / seconds_a_day;
}

/// Of one machine class and kind of work.
struct MachineTime {
    std::string machine_class;
    MachineWork work = MachineWork::nightly;
    std::int64_t seconds = 0;
    std::int64_t build_s = 0;  ///< of these: builds
};

/// Of the jobs of a nightly, by class and work.
std::vector<MachineTime> list_night_time(Database& db, NightlyId nightly);

struct DayTime {
    std::int64_t day = 0;  ///< since 1970, UTC
    MachineTime time;
};
/// Of a project, newest day first, then by class and work.
/// @param until_day  not included
std::vector<DayTime> list_day_time(
    Database& db, ProjectId project, std::int64_t since_day, std::int64_t until_day);

struct WorkTime {
    MachineWork work = MachineWork::nightly;
    std::int64_t seconds = 0;
};
/// Of a project on one day and class; attempts that ended.
std::vector<WorkTime> list_class_time(
    Database& db, ProjectId project, std::int64_t day, MachineClassId machine_class);

/// Seconds of a project's attempts that were claimed on this day, up to now: those that go on too.
std::int64_t load_day_seconds(
    Database& db, ProjectId project, std::int64_t day, std::int64_t now_s);

}  // namespace vigil::service
