#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bisect/detect/series_answer.hpp"
#include "schema/model/comparison.hpp"
#include "schema/model/states.hpp"
#include "service/store/series/values.hpp"

// The table `suspicion`: what a night asks of a series, and what it came to.

namespace vigil::service {

/// One that has not ended.
struct OpenSuspicion {
    SuspicionId id;
    SuspicionState state = SuspicionState::open;
    SeriesRow series;
    NightlyId nightly;
    NightlyId good_nightly;            ///< the A of A/B; of several the first
    std::string old_nights;            ///< all of them, JSON
    std::optional<SessionId> session;  ///< it stands on; of one that is confirming
    bool by_outcome = false;           ///< it no longer runs: no question of the loop
    detect::Asked asked = detect::Asked::worse;
    double change_ratio = 0;  ///< of the night against its baseline
    double chance = 0;        ///< of a true change above the threshold
    int waited = 0;           ///< nights without a turn, before this one
    double base = 0;          ///< baseline's level, metric's unit
    double value = 0;         ///< the night's
};

/// All of a night that have not ended: those without a session, then session by session.
std::vector<OpenSuspicion> list_unended(Database& db, NightlyId nightly);

/// Opens one for a question of the loop, and tells of it.
/// @param reason  in words, for a person
OpenSuspicion add_suspicion(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const detect::NightWord& word,
    const detect::Question& question,
    const std::string& reason,
    std::int64_t now_s);

/// Opens one of a series whose variant no longer runs, or leaks, and tells of it.
struct NewOutcomeSuspicion {
    NightlyId nightly;
    NightlyId good_nightly;  ///< in which it ran
    double value = 0;        ///< of that night, metric's unit
    std::string reason;
};
OpenSuspicion add_outcome_suspicion(
    Database& db,
    const SeriesRow& series,
    const NewOutcomeSuspicion& suspicion,
    std::int64_t now_s);

/// Whether a night asks something of a series already.
bool has_suspicion(Database& db, SeriesId series, NightlyId nightly);

/// It is confirmed by this session from now on.
/// @throws Error{conflict} when it is not open
void join_session(Database& db, const OpenSuspicion& suspicion, SessionId session);

struct SuspicionEnd {
    Verdict verdict = Verdict::watch;
    Comparison comparison = {};  ///< of its session; without runs: it had none
    std::string reason;          ///< in words, added to why it was opened
    std::string waits = {};      ///< why it got no runs, or too few; empty: it had its turn
    std::optional<detect::Answer> answer = {};  ///< what the loop was told
};

/// Ends it, and tells of it by the event "suspicion.VERDICT", or "suspicion.waits".
/// @throws Error{conflict} when it has ended already
void end_suspicion(
    Database& db, const OpenSuspicion& suspicion, const SuspicionEnd& end, std::int64_t now_s);

/// Whether a night, from `since` on, left a question of this series undecided.
bool is_undecided_since(Database& db, SeriesId series, NightlyId since);

/// The newest night before that asked for a session of this series and did not let it wait; 0: none
/// did.
NightlyId find_last_requested(Database& db, SeriesId series, NightlyId nightly);

/// In how many nights after `since` and before `nightly` the series asked, and had to wait.
int count_unasked(Database& db, SeriesId series, NightlyId nightly, NightlyId since);

/// What a person told, and measuring again confirmed.
struct ToldChange {
    SeriesId series;
    NightlyId nightly;
    NightlyId good_nightly;
    SessionId session;
    double base = 0;   ///< of the night before, metric's unit
    double value = 0;  ///< the night's
    double change_ratio = 0;
    Comparison confirmed;
    std::string reason;  ///< in words, for a person
};
/// Adds it as a confirmed suspicion of its night. Where the night had asked about the series by
/// itself, that row becomes it. nullopt: that one has not ended.
std::optional<SuspicionId> add_told_suspicion(
    Database& db, const ToldChange& told, std::int64_t now_s);

/// Ends all that have not ended, without a look at any row and without events.
/// @param why  added to why each was opened
void end_all_suspicions(
    Database& db, NightlyId nightly, Verdict verdict, const std::string& why, std::int64_t now_s);

/// A change that is confirmed and that no regression holds yet.
struct ConfirmedChange {
    SuspicionId suspicion;
    SeriesId series;
    NightlyId good_nightly;  ///< it was held against
    SessionId session;
    Comparison confirmed;
    bool by_outcome = false;               ///< it no longer runs
    std::optional<double> threshold = {};  ///< of one that a person told, instead of the config's
};
/// Of one night, in the order of the suspicions.
std::vector<ConfirmedChange> list_confirmed(Database& db, NightlyId nightly);

/// Of one night, what looked worse and could not be measured again.
std::vector<ConfirmedChange> list_unconfirmed(Database& db, NightlyId nightly);

struct DriftVerdict {
    SuspicionId suspicion;
    SeriesId series;
    NightlyId good;  ///< whose build it was measured against
    bool is_creep = false;
    std::string confirmed;  ///< the session's Comparison, see json_columns.hpp
    std::optional<NightlyId> since, earliest, latest;
};
std::vector<DriftVerdict> list_drift_verdicts(Database& db, NightlyId nightly);

/// A series whose session said that it is as good as before a regression, or is asked.
struct FixedSeries {
    SeriesId series;
    NightlyId good_nightly;  ///< it was held against
};
enum class MendedOrAsked { mended, or_asked };
std::vector<FixedSeries> list_fixed(Database& db, NightlyId nightly, MendedOrAsked which);

/// What the sessions of later nights said to the question whether a series is back.
struct RecoveryAnswer {
    NightlyId nightly;
    std::optional<Verdict> verdict;
    Comparison confirmed;  ///< `above` says how probably it is not back
};
std::vector<RecoveryAnswer> list_recovery_answers(Database& db, SeriesId series, NightlyId after);

/// What a session of a later night said of the level of a series.
struct LaterAnswer {
    NightlyId nightly;
    std::string night;       ///< its name
    NightlyId good_nightly;  ///< it was held against
    Verdict verdict = Verdict::noise;
    Comparison confirmed;
    std::optional<Comparison> verified = {};  ///< by the search of its only regression
    std::optional<NightlyId> since = {};      ///< the likeliest first night of what it found
};
/// Of the nights after `after`, oldest first; only those that measured.
std::vector<LaterAnswer> list_later_answers(Database& db, SeriesId series, NightlyId after);

/// Since when a change of a level is suspected.
struct SuspectedSince {
    SeriesId series;
    NightlyId since;                       ///< the likeliest first night
    NightlyId earliest = {}, latest = {};  ///< its plausible range
};
/// Of the newest suspicion up to this one that says so, of the nights after `good`.
std::optional<SuspectedSince> find_suspected_since(
    Database& db, SuspicionId suspicion, NightlyId good);

}  // namespace vigil::service
