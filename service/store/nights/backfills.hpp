#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"
#include "service/store/nights/nightlies.hpp"

// The tables `backfill` and `past_archive`, and those rows of `nightly` that are of a backfill.

namespace vigil::service {

struct BackfillRow {
    BackfillId id;
    ProjectId project;
    int nights = 0;                ///< days before the newest known night
    std::int64_t runs_budget = 0;  ///< that it may plan
    BackfillState state = BackfillState::listing;
    std::string message;
    std::int64_t night_runs = 0;  ///< that one of its nights plans
    SeriesId looked;              ///< while looking: the last series that was looked at
    std::string cancelled_by;     ///< name of a token; empty: nobody
};

/// @throws Error{not_found}
BackfillRow load_backfill(Database& db, BackfillId backfill);

/// The one of a project that has not ended.
std::optional<BackfillRow> find_open_backfill(Database& db, ProjectId project);

/// When the newest of its nights ended, UTC seconds; nullopt: none has.
std::optional<std::int64_t> find_newest_end_s(Database& db, BackfillId backfill);

/// Those that measure or look, oldest first.
std::vector<BackfillRow> list_running_backfills(Database& db);

struct NewBackfill {
    ProjectId project;
    int nights = 0;
    std::int64_t runs_budget = 0;
    std::string token;
};
/// In state `listing`. Event "backfill.asked".
BackfillId add_backfill(
    Database& db, const NewBackfill& backfill, const std::string& words, std::int64_t now_s);

/// Event "backfill.STATE".
/// @throws Error{conflict} where the state machine has no such arrow
void move_backfill(
    Database& db,
    BackfillId backfill,
    BackfillState to,
    const std::string& message,
    std::int64_t now_s);

void note_night_runs(Database& db, BackfillId backfill, std::int64_t runs);
void note_looked(Database& db, BackfillId backfill, SeriesId series);
void note_cancelled(Database& db, BackfillId backfill, const std::string& token);

/// Whether a backfill of the project looks for steps.
bool is_looking(Database& db, ProjectId project);

/// A backfill whose nights the source is asked for.
struct MissingDays {
    BackfillId backfill;
    int nights = 0;
    std::optional<NightEdge> first_night;   ///< the project's; nullopt: it has none
    std::optional<NightEdge> newest_night;  ///< likewise
    std::string unreadable = {};            ///< why its row cannot be read
};
std::vector<MissingDays> list_missing_days(Database& db, int limit, ProjectId project);

/// Ids that are free for nights before the project's first one, or before what will be its first.
struct Room {
    NightlyId end;           ///< behind the last of them
    std::int64_t count = 0;  ///< of ids that end there
    bool is_first = false;   ///< the project has no nightly: its first one is to begin there
};
Room find_room(Database& db, ProjectId project);

/// Whether a revision is a night of the project, or one of a backfill.
bool is_known_night(Database& db, ProjectId project, const Revision& revision);
/// The same of the version of an archive.
bool is_known_version(Database& db, ProjectId project, const std::string& version);

struct NewPastNight {
    NightlyId id;
    ProjectId project;
    BuildId build;
    std::string version;
    std::string day;  ///< YYYY-MM-DD
    Revision revision;
    std::string beside;
    BackfillId backfill;
};
/// In state `measuring`, without jobs. No summary is written of it.
void add_past_night(Database& db, const NewPastNight& night, std::int64_t now_s);

/// A nightly of a backfill that has to be fetched from the project's source.
struct PastArchive {
    NightlyId night;  ///< that it becomes
    BackfillId backfill;
    std::string version;
    std::string day;  ///< YYYY-MM-DD
};
void add_past_archive(Database& db, const PastArchive& archive);
/// The oldest one that waits.
std::optional<PastArchive> find_next_archive(Database& db, BackfillId backfill);
/// It is a night now.
void end_past_archive(Database& db, NightlyId night);
/// It becomes none. Event "backfill.skipped".
void skip_past_archive(
    Database& db, const PastArchive& archive, const std::string& why, std::int64_t now_s);

/// How many of its nights have jobs and have not ended.
int count_begun(Database& db, BackfillId backfill);

/// The oldest of its nights that waits for its turn.
std::optional<NightlyId> find_next_night(Database& db, BackfillId backfill);

/// Takes away its nights and archives that wait for their turn.
void drop_waiting_nights(Database& db, BackfillId backfill);

/// Jobs of its nights that have not ended.
std::vector<JobId> list_open_backfill_jobs(Database& db, BackfillId backfill);

/// Those of its nights that were measured become nights of the project.
/// @return  they, oldest first
std::vector<NightlyId> join_nights(Database& db, BackfillId backfill);

struct JoinedNights {
    NightlyId oldest, newest;
};
/// nullopt: none was measured.
std::optional<JoinedNights> find_joined(Database& db, BackfillId backfill);

/// Series of its project behind one, in the order of their ids.
std::vector<SeriesId> list_series_after(Database& db, ProjectId project, SeriesId after, int limit);

/// How its nights ended, how many of its archives became none, and how many steps it found.
struct BackfillCounts {
    std::int64_t measured = 0, failed = 0, skipped = 0, steps = 0;
};
BackfillCounts count_backfill(Database& db, BackfillId backfill);

}  // namespace vigil::service
