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

// The rows of nightlies (table nightly, and its view night: those that are not measured beside the
// nights), and tries of their steps (table step_try). Nights come in the order of their ids.

namespace vigil::service {

struct NightlyRow {
    NightlyId id;
    ProjectId project;
    BuildId build;
    std::string version;  ///< the source's own name for it
    std::string name;     ///< its day, and a number from the second one of a day on
    NightlyState state = NightlyState::measuring;
    std::optional<std::string> beside;   ///< why it is no night
    std::optional<int> compared_series;  ///< nullopt: not judged
    std::optional<BackfillId> backfill;  ///< that measures or measured it
};

std::optional<NightlyRow> find_nightly(Database& db, NightlyId nightly);

NightlyRow load_nightly(Database& db, NightlyId nightly);

/// A night as one end of a range of a source's nightlies.
struct NightEdge {
    Revision revision;
    std::string version;
    std::string day;  ///< YYYY-MM-DD
};
NightEdge load_night_edge(Database& db, NightlyId nightly);

/// The night of a build, or else what was measured of it beside the nights.
std::optional<NightlyRow> find_nightly_of(Database& db, BuildId build);

/// The build of the project's first nightly of this version or revision.
std::optional<BuildId> find_build_of(
    Database& db, ProjectId project, const std::string& version_or_revision);

/// Nightlies that have not ended or whose bisection has not, oldest first.
std::vector<NightlyId> list_open_nightlies(Database& db, int limit = 1000);

/// The newest night of a project that did not fail.
struct NewestNight {
    NightlyId id;
    std::string name;
    std::string version;
    std::string day;  ///< YYYY-MM-DD
    Revision revision;
};
std::optional<NewestNight> find_newest_night(Database& db, ProjectId project);

/// The newest night of a project that is done, or is history.
std::optional<NightlyId> find_newest_done(Database& db, ProjectId project);

/// The newest night of a project that ended, done or failed, and is no history.
std::optional<NightlyId> find_newest_ended(Database& db, ProjectId project);

/// When the newest night of a project was recorded, failed or not.
std::optional<std::int64_t> find_newest_night_s(Database& db, ProjectId project);

/// The newest night that has this version or this revision.
std::optional<NightlyId> find_night_named(
    Database& db, ProjectId project, const std::string& version_or_revision);

/// The project's nights before this nightly that did not fail, newest first.
std::vector<NightlyId> list_nights_before(
    Database& db, ProjectId project, NightlyId nightly, int limit);

struct NightBetween {
    NightlyId id;
    Revision revision;
};
/// The nights after one, up to and with another of the same project, oldest first.
std::vector<NightBetween> list_nights_between(Database& db, NightlyId good, NightlyId bad);

/// The next night after one of the same project, failed or not.
std::optional<NightlyId> find_night_after(Database& db, ProjectId project, NightlyId nightly);

/// Whether an earlier night is still measured or confirmed.
bool has_unjudged_before(Database& db, const NightlyRow& nightly);

struct NewNightly {
    ProjectId project;
    BuildId build;
    std::string version;
    std::string day;  ///< YYYY-MM-DD
    Revision revision;
    std::optional<std::string> beside;
};
/// In state `measuring`. It gets its name by its day.
/// @param id  nullopt: the next one
NightlyId add_nightly(
    Database& db,
    const NewNightly& nightly,
    std::int64_t now_s,
    std::optional<NightlyId> id = std::nullopt);

/// The id from which a night of this time is kept: in a project whose nights are sent, they may
/// come in any order, and their ids follow their times all the same. Nightlies that are found here
/// have smaller ids.
/// @param time_s  first_night_s or later
NightlyId id_at(std::int64_t time_s);
inline constexpr std::int64_t first_night_s = 946'684'800;  // 2000-01-01

/// As add_nightly, with the first free id from this one on, so that it stands where its time is.
NightlyId add_nightly_at(
    Database& db, const NewNightly& nightly, NightlyId from, std::int64_t now_s);

/// The project's night of this revision and version, failed or not.
std::optional<NightlyRow> find_sent_night(
    Database& db, ProjectId project, const Revision& revision, const std::string& version);

/// No summary of it is written.
void note_no_summary(Database& db, NightlyId nightly);

void rename_version(Database& db, NightlyId nightly, const std::string& version);

/// How many of its judged series were held against an earlier night.
void note_compared(Database& db, NightlyId nightly, int series);

/// Its summary is written anew.
void note_unsummed(Database& db, NightlyId nightly);

/// Moves a nightly to another state with a message, and tells of it by the event "nightly.STATE".
/// @throws Error{not_found}; Error{conflict} where the state machine has no such arrow, see
///         schema/model/transitions.hpp
void move_nightly(
    Database& db,
    NightlyId nightly,
    NightlyState to,
    const std::string& message,
    std::int64_t now_s);

/// Moves a nightly that is searched or done back to `confirming`. Its message stays, and no event
/// tells of it: whoever does this tells why.
/// @throws Error, as move_nightly
void reopen_nightly(Database& db, NightlyId nightly);

/// Appends to the audit log what happened to a nightly, see record_event.
void record_nightly_event(
    Database& db,
    const NightlyRow& nightly,
    std::string_view kind,
    std::string_view message,
    std::int64_t now_s,
    const std::string& data_json = "{}");

struct StepTries {
    int count = 0;
    std::string message;  ///< what the newest one threw; empty: it was cut off, or there is none
};
StepTries load_tries(Database& db, NightlyId nightly);

/// A try begins: one more, whose message is not known yet.
void add_try(Database& db, NightlyId nightly);

void note_try_failed(Database& db, NightlyId nightly, const std::string& message);

void end_tries(Database& db, NightlyId nightly);

}  // namespace vigil::service
