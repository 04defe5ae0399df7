#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/metric.hpp"
#include "schema/model/storm.hpp"
#include "service/store/database.hpp"

// The tables `storm`, many series of one worker that moved in one night, and `storm_series`, those
// of them whose old build is measured again.

namespace vigil::service {

struct NewStorm {
    NightlyId nightly;
    WorkerId worker;
    int series = 0;          ///< of the worker that night whose nights can tell
    int suspicious = 0;      ///< of these
    double moved_ratio = 0;  ///< middle of the series
};
StormId add_storm(Database& db, const NewStorm& storm, std::int64_t now_s);

/// @param base          the baseline's level, metric's unit
/// @param change_ratio  of the night against it
void add_checked_series(
    Database& db, StormId storm, SeriesId series, JobId job, double base, double change_ratio);

struct OpenStorm {
    StormId id;
    ProjectId project;
    NightlyId nightly;
    WorkerId worker;
    std::string worker_name;
    int series = 0;
    int suspicious = 0;
};
/// In the order they were found.
std::vector<OpenStorm> list_checking(Database& db, NightlyId nightly);

bool is_measuring(Database& db, StormId storm);

/// A run of a series' old build that was measured again.
struct CheckedRun {
    SeriesId series;
    Direction direction = Direction::lower_is_better;
    double base = 0;
    double change_ratio = 0;
    double value = 0;  ///< metric's unit
};
/// Series by series.
std::vector<CheckedRun> list_checked_runs(Database& db, StormId storm);

/// @param moved_ratio  of the old builds
void end_storm(
    Database& db,
    StormId storm,
    StormState state,
    double moved_ratio,
    const std::string& message,
    std::int64_t now_s);

/// Many series of one worker moved in this night.
struct NightStormFact {
    std::string worker;
    StormState state = StormState::checking;
    int series = 0;  ///< of the worker, whose nights can tell
    int suspicious = 0;
    double moved_ratio = 0;
    int rebased = 0;  ///< series that start a new baseline
    std::string message;
};
/// In the order they were found.
std::vector<NightStormFact> list_night_storms(Database& db, NightlyId nightly);

/// Gives up those of a night whose check has not ended.
/// @param worker  only its storms; nullopt: all of the night
void give_up_storms(
    Database& db,
    NightlyId nightly,
    std::optional<WorkerId> worker,
    const std::string& why,
    std::int64_t now_s);

/// @param series  how many start a new baseline
void note_rebased(Database& db, StormId storm, int series);

/// The night before, when this worker's machine had moved then too, and that stands.
std::optional<NightlyId> find_stormy_night_before(Database& db, const OpenStorm& storm);

/// Whether another active worker of the class measured so many series that night, and its machine
/// did not move.
/// @param seen_after_s  it was heard of after this
bool has_calm_peer(
    Database& db, const OpenStorm& storm, int least_series, std::int64_t seen_after_s);

}  // namespace vigil::service
