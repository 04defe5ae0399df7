#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/store/series/suspicions.hpp"

// Where a series of an open regression stands by now: an issue does not stay at the size that it
// was filed with.

namespace vigil::service {

/// A series against its level before the regression, by the newest night that was measured again.
struct LevelToday {
    NightlyId nightly;
    std::string night;  ///< its name
    Comparison level;
};

/// Whether a session that ended so found that the level is another one.
bool is_change(Verdict verdict);

/// A night that was held against a build from before the regression says it by itself. One that was
/// held against a later night counts where it found a change: after the level of that night.
/// @param size   of the regression; runs_after 0: not known
/// @param found  the nightly that showed it
/// @param later  answers of the nights after it, oldest first
/// @return  nullopt: no later night says so. Pure.
std::optional<LevelToday> level_today(
    const Comparison& size, NightlyId found, std::span<const LaterAnswer> later);

/// The same, of rows.
std::optional<LevelToday> find_level_today(
    Database& db, SeriesId series, const Comparison& size, NightlyId found);

/// Of each open regression whose level this night measured anew: the report is written again, and
/// the event "regression.level" tells of it.
void tell_levels(Database& db, NightlyId nightly, std::int64_t now_s);

}  // namespace vigil::service
