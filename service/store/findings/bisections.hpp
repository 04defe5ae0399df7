#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bisect/history/history.hpp"
#include "bisect/search/breakage.hpp"
#include "bisect/search/search.hpp"
#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/nights/nightlies.hpp"

// The tables `bisection`, searches for what changed series, and for what broke a build, `suspect`,
// the commits that one searches, by position, and `probe`, what it asked for, each one job.

namespace vigil::service {

enum class BisectionKind {
    change,   ///< of measured values
    build,    ///< of a nightly that does not build: by builds alone
    mending,  ///< what brought series back: from the build that was still bad to the one that is
              ///< not
    asked,    ///< what changed a series between two builds that a person named; of no night
    nights    ///< of the archives between two nights, before their commits are searched
};

/// What a bisection inside of a merge, or of a commit that moves a dependency, searches.
struct InsideOf {
    BisectionId outer;  ///< it named the merge
    Revision merge;
    int parent = 0;                          ///< of the merge, which brought the suspects; from 2
    std::optional<RegressionId> regression;  ///< nullopt: of a search that a person asked for
    std::string dependency = {};  ///< whose commits the suspects stand for; empty: of a merge
};
std::optional<InsideOf> find_inside(Database& db, BisectionId bisection);

/// The newest of the bisections that led from this one on, merge by merge; itself, where none did.
BisectionId find_newest_inside(Database& db, BisectionId outermost);

/// The way into the merges that a bisection is inside of, innermost first; empty: it is on the
/// line.
std::vector<InsideOf> list_way_in(Database& db, BisectionId bisection);

struct BisectionRow {
    BisectionId id;
    ProjectId project;
    std::optional<NightlyId> nightly;
    BisectionKind kind = BisectionKind::change;
    BisectionState state = BisectionState::listing;
    int planner = 0;  ///< version of the rules it last went on under
    BisectionSettings settings;
    bool is_concluded = false;  ///< it holds how it ended
    std::optional<InsideOf> inside;
};

/// @throws Error{not_found}; Error{invalid_argument} when its settings cannot be read
BisectionRow load_bisection(Database& db, BisectionId bisection);

/// Without a look at its settings. @throws Error{not_found}
BisectionState load_bisection_state(Database& db, BisectionId bisection);

/// The bisections inside of a merge that another one named, in the order they began.
std::vector<BisectionId> list_inside(Database& db, BisectionId outer, const Revision& merge);

struct OpenBisection {
    BisectionId id;
    BisectionKind kind = BisectionKind::change;
    BisectionState state = BisectionState::listing;
};
/// A night's searches that have not ended, in their order. The night does not wait for what it was
/// that fixed.
std::vector<OpenBisection> list_open_bisections(Database& db, NightlyId nightly);

struct NewBisection {
    ProjectId project;
    std::optional<NightlyId> nightly;
    BisectionKind kind = BisectionKind::change;
    Revision good;
    Revision bad;
    BisectionSettings settings;
    std::optional<InsideOf> inside = {};
};

/// Adds one whose suspects the git lane has to list, under the rules of today's planner.
BisectionId add_bisection(Database& db, const NewBisection& bisection, std::int64_t now_s);

/// @throws Error{conflict} where the state machine has no such arrow, see
///         schema/model/transitions.hpp
void move_bisection(Database& db, BisectionId bisection, BisectionState to, std::int64_t now_s);

void note_planner(Database& db, BisectionId bisection, int version);
void note_conclusion(Database& db, BisectionId bisection, const BisectionConclusion& conclusion);
/// Fails one whose columns cannot be read: they are written anew. An event does not tell of it.
void fail_unreadable_bisection(
    Database& db, BisectionId bisection, const BisectionConclusion& conclusion, std::int64_t now_s);
/// The end of the log of a breaking commit's build.
/// @param tail  a stranger's text
/// @return  whether its search still waits for it
bool note_log_tail(Database& db, BisectionId bisection, const std::string& tail);

/// Tells of it by the event "bisection.WHAT".
void record_bisection_event(
    Database& db,
    BisectionId bisection,
    std::string_view what,
    const std::string& words,
    std::int64_t now_s);

/// A bisection whose suspects the git lane has to list.
struct MissingSuspects {
    BisectionId bisection;
    ProjectId project;
    Revision good;
    Revision bad;
    /// `bad` came in by a merge whose first parent is `good`: the suspects are what it brought,
    /// from where it left the line.
    bool inside = false;
    std::string dependency = {};  ///< `bad` moves it, and its commits are the suspects
    bool of_nights = false;       ///< nightlies between two nights, see load_night_ends
    std::string unreadable = {};  ///< why its row cannot be read; then there are no revisions
};
std::vector<MissingSuspects> list_missing_suspects(
    Database& db, int limit, std::optional<ProjectId> project = std::nullopt);

/// A commit that breaks the build was found, and the end of its build's log is still to be read.
struct MissingLog {
    BisectionId bisection;
    std::optional<Digest> log;  ///< in the content store; nullopt: none was kept
};
std::vector<MissingLog> list_missing_logs(Database& db, int limit);

/// The nights whose archives a bisection of kind `nights` lies between.
struct NightEnds {
    NightEdge good, bad;
    BuildId good_build, bad_build;
};
/// @throws Error{not_found}
NightEnds load_night_ends(Database& db, BisectionId nights);

/// A search of commits follows one of nights: it is its regressions' now.
void go_on_with(Database& db, BisectionId nights, BisectionId commits);

struct SuspectRow {
    Revision revision;
    Revision first_parent;          ///< empty: it is the good end
    std::vector<Revision> brought;  ///< further parents; empty: it is no merge
    std::string subject;            ///< a stranger's text
    std::string author;             ///< likewise
    std::optional<BuildId> build;   ///< nullopt: no build row yet
    int commits = 1;                ///< of the range that came with it, itself counted
    std::string dependency = {};    ///< that it moves, and nothing else
    Revision stands_for = {};       ///< the dependency's commit
};

/// By position, the good end first. Empty: they are not listed yet.
std::vector<SuspectRow> list_suspects(Database& db, BisectionId bisection);

/// Stores the suspects and what they follow, with what was built of them before; the range says
/// which commit is the good end.
void add_suspects(Database& db, BisectionId bisection, const history::Range& range);

/// The build of a suspect, made on its first probe.
BuildId ensure_suspect_build(
    Database& db, const BisectionRow& bisection, int position, std::int64_t now_s);

/// Of a suspect that is a build already.
void note_suspect_build(Database& db, BisectionId bisection, int position, BuildId build);

/// What one recipe made of every suspect, by position, whoever asked for it; failures are counted
/// on the toolchain that failed most.
std::vector<search::BuildTries> list_build_tries(
    Database& db, const BisectionRow& bisection, const Digest& recipe);

struct ProbeRow {
    int number = 0;  ///< in the order of asking, from 0
    search::ProbeRequest plan;
    bool is_open = false;
    std::optional<JobId> job;
    std::string machine;  ///< name of the worker that made it; empty: none did
};

/// In the order of their numbers.
std::vector<ProbeRow> list_probes(Database& db, BisectionId bisection);

ProbeId add_probe(
    Database& db,
    BisectionId bisection,
    int number,
    const search::ProbeRequest& plan,
    std::int64_t now_s);

int count_probes(Database& db, BisectionId bisection);
int count_open_probes(Database& db, BisectionId bisection);

/// Closes the probes of a bisection whose job has ended. @return how many are still open
int close_probes(Database& db, BisectionId bisection);

/// Probes whose job ended without a result.
int count_lost_probes(Database& db, BisectionId bisection);

}  // namespace vigil::service
