#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bisect/history/fixed.hpp"
#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/series/values.hpp"

// Which commit fixed a regression. Its range is asked for when a series raises the question
// whether it is back, so that the commits are here when the answer comes.

namespace vigil::service {

/// A night of a series, after the one that found the regression.
struct LaterNight {
    NightlyId id;
    double level = 0;  ///< badness
    /// What a session said of it: whether it is as bad as it was; nullopt: nothing, or undecided.
    std::optional<bool> still_bad;
    bool was_requested = false;  ///< then its level alone says nothing: it looked better
};

/// The newest night that was surely still bad: a session said so, or nobody asked and its level
/// lies far on the bad side. Pure.
/// @param nights  oldest first; the last is the one that was measured as back, or is asked about
/// @param before, after  badness of the level before the regression and with it
/// @param spread  of a night's level, log; 0: not known
std::optional<NightlyId> newest_bad(
    std::span<const LaterNight> nights, double before, double after, double spread);

/// How neighbouring nights differ, as one night's spread, log; 0: too few of them. A step or two
/// among them do not matter.
double spread_between(const std::vector<NightValues>& nights, Direction direction);

/// Notes the range in which these series came back, if they did, and asks the git lane for its
/// commits; again where an earlier note of that night has other ends.
void ask_for_fix(
    Database& db,
    const ProjectConfig& config,
    RegressionId regression,
    NightlyId nightly,
    const std::vector<SeriesId>& series);

/// What fixed the series that came back that night, as the regression's rows now say which they
/// are. Where the commits are not here yet it is told later, and the regression is told anew.
/// @return  in words for an event
std::string tell_fix(
    Database& db, const Config& config, RegressionId regression, NightlyId nightly);

/// What a listed one says, from the commits that its row holds.
Fix decide_fix(Database& db, const Config& config, const FixRow& fix);

/// Stores what the git lane found. Where the series are back already, what fixed them is decided
/// and told (event `regression.fixed`).
void record_fix(
    Database& db, const Config& config, FixId fix, const FixCommits& commits, std::int64_t now_s);

/// Stores what a search measured, and tells of it alike.
void tell_measured(Database& db, const FixRow& fix, const Fix& told, std::int64_t now_s);

/// Whether series of it are back since that night.
bool came_back(Database& db, RegressionId regression, NightlyId nightly);

/// The issue that an address from a tracker means; nullopt: it names none.
/// @param commit_url  template of the addresses of the repository's commits; may be empty
std::optional<history::FiledIssue> issue_of(std::string_view ref, std::string_view commit_url);

}  // namespace vigil::service
