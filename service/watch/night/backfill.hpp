#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"
#include "service/source/nightly_source.hpp"
#include "service/store/database.hpp"
#include "service/store/nights/backfills.hpp"

// Earlier nights become the history of a project: days of a git branch, or archives that the
// source still offers. docs/operations.md

namespace vigil::service {

inline constexpr int most_backfill_nights = 365;
inline constexpr std::int64_t usual_backfill_runs = 10'000;
inline constexpr std::int64_t most_backfill_runs = 10'000'000;

/// @throws Error{invalid_argument} when the project is measured elsewhere, or a number is out of
///         bounds
void check_backfill(const ProjectConfig& project, std::int64_t nights, std::int64_t runs_budget);

/// Asks for the nights of so many days before the newest known night, or before the branch's tip.
/// The same wish again, while it goes on, is the same backfill.
/// @param runs_budget  that its nights may plan
/// @throws Error, as check_backfill; Error{conflict} when another backfill of the project goes on
BackfillId request_backfill(
    Database& db,
    const ProjectConfig& project,
    int nights,
    std::int64_t runs_budget,
    const std::string& token,
    std::int64_t now_s);

/// A commit that ended a day of the branch, or a nightly that a source of archives still offers.
struct PastDay {
    Revision revision;  ///< empty: the archive tells it
    std::string version;
    std::string day;  ///< YYYY-MM-DD
};

/// Takes what the source lists: the nights that are not known and fit the budget, the newest ones.
/// Those of archives have to be fetched first. Nothing when the backfill lists no longer.
/// @param days  oldest first
void record_days(
    Database& db,
    const Config& config,
    BackfillId backfill,
    const std::vector<PastDay>& days,
    std::int64_t now_s);

/// Its nights cannot be listed.
void fail_backfill(Database& db, BackfillId backfill, const std::string& why, std::int64_t now_s);

/// The archive that a project's source is asked for next; nullopt: none is needed yet.
std::optional<PastArchive> find_wanted_archive(Database& db, ProjectId project);

/// Takes a fetched archive: a night, or the reason why it is skipped. Nothing when the backfill has
/// been cancelled.
void record_archive(
    Database& db, const PastArchive& archive, const NightlyOffer& offer, std::int64_t now_s);

/// Ends it: what waits is dropped, what was measured becomes history.
/// @param token  name of the token that asks for it
/// @return  false when it had ended, or was cancelled before
/// @throws Error{not_found}
bool cancel_backfill(
    Database& db, BackfillId backfill, const std::string& token, std::int64_t now_s);

/// How far a backfill is.
struct BackfillPace {
    std::int64_t begun_s = 0;       ///< UTC seconds, all three
    std::int64_t newest_end_s = 0;  ///< of its nights
    std::int64_t now_s = 0;
    std::int64_t ended = 0;  ///< nights
    std::int64_t left = 0;   ///< nights that wait or are measured
};

/// About how long it still measures, s, as long a night as the ended ones took; until the next one
/// ends it counts down. nullopt: none has ended. A pure function.
std::optional<std::int64_t> remaining_s(const BackfillPace& pace);

/// One step of every backfill that goes on: the next nights get their jobs, two at a time; at the
/// end the measured ones become nights, and some series are looked at for steps.
/// @return  whether there is more to do at once
bool advance_backfills(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
