#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"

// Searches as reports tell of them: the rows of `bisection`, `suspect` and `probe` with what they
// point at.

namespace vigil::service {

/// What a search was about and how it ended.
struct SearchRecords {
    BisectionSettings settings;
    BisectionConclusion conclusion;
};
std::optional<SearchRecords> find_search_records(Database& db, BisectionId bisection);

/// Its commits by position, the good end first.
std::vector<Revision> list_line(Database& db, BisectionId bisection);

/// Where it began, once its suspects are listed.
std::optional<Revision> find_begin(Database& db, BisectionId bisection);

/// A commit of the range. Subject, author and build failure are a stranger's text.
struct SuspectFact {
    int position = 0;  ///< 0 is the good end, which is no suspect
    Revision revision;
    Revision parent;
    bool merge = false;
    std::string subject;
    std::string author;
    std::int64_t authored_at_s = 0;
    std::string pins;           ///< what it moves of the dependencies, in words; a stranger's text
    bool has_product = false;   ///< was built with some toolchain
    std::string build_failure;  ///< why it could not be built; empty: it could, or nobody tried
    bool no_input = false;      ///< that is because its source cannot be had
    std::optional<Digest> build_log;  ///< of that build, where there is one
};
/// By position.
std::vector<SuspectFact> list_suspect_facts(Database& db, BisectionId bisection);

/// A commit of a dependency, for which a suspect stands. Subject and author are a stranger's text.
struct DependencyCommit {
    Revision revision;
    std::string subject;
    std::string author;
};
std::optional<DependencyCommit> find_dependency_commit(
    Database& db, BisectionId bisection, int position);

struct ReportedProbe {
    ProbeId id;
    int number = 0;
    search::ProbeRequest plan;
    bool open = false;
    std::string machine_class;
};
/// By number.
std::vector<ReportedProbe> list_reported_probes(Database& db, BisectionId bisection);

/// A value of one run of a probe. Runs without one come once.
struct ProbeValue {
    RunId run;
    int position = 0;  ///< which suspect
    Outcome outcome = Outcome::passed;
    std::string message;  ///< a stranger's text, when not passed
    std::optional<SeriesId> series;
    std::optional<double> value;  ///< median, metric's unit
};
/// In the order they ran.
std::vector<ProbeValue> list_probe_values(Database& db, BisectionId bisection, ProbeId probe);

/// A search inside of a merge, or of a dependency that a commit moves.
struct ReportedInside {
    BisectionId id;
    int parent = 0;            ///< of the merge, which brought the commits; from 2
    Revision base;             ///< where they left the line
    Revision tip;              ///< the parent itself
    std::int64_t commits = 0;  ///< it brought
    std::string subject;       ///< of the merge; a stranger's text
    std::string dependency;    ///< its path, likewise; empty: of a merge
};
/// Those that began before `last`, and it, in that order; all of them without it.
std::vector<ReportedInside> list_reported_inside(
    Database& db, BisectionId outer, const Revision& merge, std::optional<BisectionId> last);

/// What a search of the archives between two nights left to that of their commits.
struct ReportedNights {
    std::int64_t archives = 0;  ///< between, that could be measured
    std::string after;          ///< version; empty: the good build's
    std::string up_to;          ///< version
};
std::optional<ReportedNights> find_reported_nights(Database& db, BisectionId commits);

/// A search for the commit that broke a build.
struct ReportedBreakage {
    BisectionId bisection;
    BisectionState state = BisectionState::listing;
    BisectionConclusion conclusion;
    Revision bad;              ///< of the nightly
    Revision good;             ///< the newest nightly before that was built
    std::string good_night;    ///< its name
    std::int64_t commits = 0;  ///< after it, up to the nightly
    std::int64_t builds = 0;   ///< asked for
    std::string log_tail;      ///< last lines of the culprit's build; a stranger's text
};
/// The newest of a nightly.
std::optional<ReportedBreakage> find_reported_breakage(Database& db, NightlyId nightly);

/// The newest nightly whose broken build was searched, since `since_s`.
std::optional<NightlyId> find_broken_nightly(
    Database& db, std::optional<ProjectId> project, std::int64_t since_s);

/// What is said of a commit that breaks a build: a stranger's text.
struct BreakingCommit {
    std::optional<Revision> culprit;  ///< first commit that breaks the build; its parent is built
    std::string subject;
    std::string author;
    std::string pins;           ///< what it moves of the dependencies, in words
    std::optional<Digest> log;  ///< the whole log of its build
};
std::optional<BreakingCommit> find_breaking_commit(
    Database& db, BisectionId bisection, int position);

}  // namespace vigil::service
