#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/store/backups.hpp"
#include "service/store/content_check.hpp"
#include "service/store/disk_days.hpp"
#include "service/store/ledger_check.hpp"
#include "service/store/lists/stuck.hpp"
#include "service/store/troubles.hpp"

// What is stuck, lost, inconsistent or about to be: the open troubles, and more that is looked for
// when somebody asks.

namespace vigil::service {

/// How bad a finding is, the worst first.
enum class Badness {
    failing,    ///< something does not work now
    will_fail,  ///< it will stop to work unless somebody acts
    note        ///< worth knowing; nobody has to act
};

/// One thing that is wrong, with the way out.
struct DoctorFinding {
    std::string kind;     ///< thing.state: "disk.filling"
    std::string subject;  ///< what has it: "project/json", "worker/xeon-3"
    Badness badness = Badness::note;
    std::string message;                  ///< one line for a person: what it is, and why
    std::string remedy;                   ///< what to do, with a command where there is one
    std::optional<std::int64_t> since_s;  ///< UTC; nullopt: not known
};

/// A project as the doctor sees it.
struct ProjectFacts {
    std::string name;
    bool has_schedule = false;
    std::int64_t last_night_s = 0;  ///< UTC; when its source last gave a night, or was looked at
    bool is_late = false;           ///< "night.late" is open: that tells it
    int nights_to_roll = 0;         ///< that wait to be rolled up, up to most_nights_to_roll
    std::vector<SilentSeries> silent = {};
};
inline constexpr int most_nights_to_roll = 1000;

/// All that the rules look at.
struct DoctorFacts {
    std::int64_t now_s = 0;  ///< UTC, by the daemon's clock
    std::vector<Trouble> troubles = {};
    std::optional<std::int64_t> free_bytes = {};  ///< of the disk; nullopt: not known
    std::int64_t ballast_bytes = 0;               ///< with less free the disk is full
    std::vector<DiskDay> disk_days = {};          ///< the newest, in any order
    std::int64_t newest_event_s = 0;              ///< UTC; 0: there is none
    std::int64_t ledger_since_s = 0;              ///< UTC; 0: it is empty
    std::vector<HeldJob> held = {};
    std::vector<GivenUpMessages> given_up = {};
    std::vector<SilentWorker> workers = {};  ///< of the config, and of no fleet
    std::vector<SkewedWorker> clocks = {};   ///< of the config's workers
    std::vector<LongNight> nights = {};
    std::vector<LongSearch> searches = {};
    std::vector<EndingToken> tokens = {};
    std::vector<ProjectFacts> projects = {};
    LedgerCheck ledger = {};
    ContentCheck content = {};
    std::optional<NewestBackup> backup = {};  ///< nullopt: the config names no folder
    int backup_due_s = 0;                     ///< a backup may be so old
};

// After so long something is told.
inline constexpr std::int64_t job_held_s = 86'400;        ///< of a job at one worker
inline constexpr std::int64_t lease_grace_s = 600;        ///< of a lease that is over
inline constexpr std::int64_t worker_silent_s = 3600;     ///< of a worker that asks for nothing
inline constexpr std::int64_t clock_skew_s = 60;          ///< of a worker's clock
inline constexpr std::int64_t night_long_s = 3 * 86'400;  ///< of a night that has not ended
inline constexpr std::int64_t search_long_s = 7 * 86'400;
inline constexpr std::int64_t source_silent_s = 3 * 86'400;
inline constexpr std::int64_t token_ends_s = 14 * 86'400;  ///< before it expires
inline constexpr int disk_days_looked_at = 30;
inline constexpr double disk_fills_days = 14;  ///< a disk that is full before is told
inline constexpr int silent_nights = 7;        ///< a series in none of the newest so many nights,
inline constexpr int within_nights = 30;       ///< and in one of these, is told

/// In how many days the disk is full when it goes on as on these days; nullopt: it does not fill,
/// or there are too few days to tell. Pure.
/// @param room_bytes  free, without what is kept for the ledger
std::optional<double> disk_days_left(const std::vector<DiskDay>& days, std::int64_t room_bytes);

/// The rules, pure: the worst findings first, of these in the order of the rules.
std::vector<DoctorFinding> diagnose(const DoctorFacts& facts);

/// Whether a finding needs a person.
bool needs_person(const DoctorFinding& finding);

}  // namespace vigil::service
