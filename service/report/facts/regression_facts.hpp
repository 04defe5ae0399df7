#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"
#include "service/config/links.hpp"
#include "service/report/facts/mending_facts.hpp"

namespace vigil::service {

class Database;

// What a report on one regression says, as plain values: rendering needs nothing else.

/// A build that is one end of the regression's range, and the nightly it came with.
struct EndFact {
    Revision revision;
    std::string version;  ///< of its nightly; empty: not a nightly
    std::string night;    ///< its name; empty: not a nightly
    std::string url;      ///< where its archive came from; empty: built from the source tree
};

/// A series of the regression.
struct SeriesFact {
    SeriesId id;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    std::string unit;
    Direction direction = Direction::lower_is_better;
    double threshold = 0.07;  ///< change ratio above which worse counts
    Verdict verdict = Verdict::regression;
    Comparison confirmed;                ///< the good build against the bad one
    std::optional<Comparison> verified;  ///< the culprit against its parent, from runs of its own
    std::string rule;                    ///< what made it suspect, in words
    std::string recovered_night;         ///< its name; empty: not recovered
};

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
    std::optional<Digest> build_log;  ///< of that build, where there is one
};

/// One process of a probe.
struct ProbeRunFact {
    RunId run;
    int position = 0;  ///< which suspect
    Outcome outcome = Outcome::passed;
    std::string message;           ///< a stranger's text, when not passed
    std::map<int, double> values;  ///< median by index into RegressionFacts::series
};

struct ProbeFact {
    int number = 0;
    bool verifies = false;  ///< culprit against parent, rather than searching
    bool open = false;
    std::string machine_class;
    std::string why;
    std::vector<int> positions;      ///< as planned, in order
    std::vector<ProbeRunFact> runs;  ///< in the order they ran; none: its builds failed
};

/// What the search said of one series.
struct EndingFact {
    int series = 0;  ///< index into RegressionFacts::series
    int first = 0;   ///< positions, inclusive
    int last = 0;
    int parent = 0;
    bool culprit = false;
    double probability = 0;
    std::string reason;
    std::vector<double> posterior;  ///< [suspects]: P(change at position i + 1); may be empty
};

/// An environment fact that was not the same on both sides.
struct DifferenceFact {
    std::string name;
    std::string good;  ///< the values seen, sorted, ", " between; "not recorded" when none
    std::string bad;
};

/// What it takes to measure the pair by hand.
struct ReproductionFact {
    SourceKind source = SourceKind::git;
    std::string repository;  ///< path or URL; may be empty for archives
    std::string package;     ///< npm
    Recipe recipe;
    EnvironmentVariables environment;        ///< of the machine class
    std::optional<BenchmarkPlan> benchmark;  ///< of the first series; nullopt: no longer known
};

/// A search inside of a merge. The subject is a stranger's text.
struct InsideFact {
    Revision merge;
    std::string subject;
    int parent = 0;              ///< of the merge, which brought the commits; from 2
    Revision base;               ///< where they left the line
    Revision tip;                ///< the parent itself
    std::int64_t commits = 0;    ///< it brought
    bool led = false;            ///< the answer is among them, or came in by a merge among them
    std::string said;            ///< how it ended for this regression, in words; empty: goes on
    std::vector<Revision> left;  ///< what it was narrowed to; mostly empty
};

/// What else moved one of the regression's series within the same range.
struct OtherChangeFact {
    int series = 0;                          ///< index into RegressionFacts::series
    std::optional<RegressionId> regression;  ///< its own; nullopt: it is told here only
    Revision first;                          ///< culprit: first == last; empty: not known yet
    Revision last;
    bool verified = false;
    double change_ratio = 0;  ///< of it alone
    double remaining = 0;     ///< P(it is there), of one that was not found; else 0
};

struct RegressionFacts {
    Links links;
    std::string marker;  ///< last line of the report, by which it is found again
    RegressionId id;
    std::string project;
    RegressionState state = RegressionState::confirmed;
    std::optional<Revision> culprit;  ///< only after verification
    std::vector<Revision> left;       ///< suspects left when there is no culprit
    std::string reason;               ///< why only a range, or why not reproduced
    EndFact good;
    EndFact bad;
    NightlyId found;                     ///< the nightly that showed it
    std::string found_night;             ///< its name
    std::vector<std::string> withdrawn;  ///< of that night: what, by whom and why, in words
    std::optional<RegressionId> split_from;
    std::int64_t created_at_s = 0;

    std::vector<SeriesFact> series;  ///< the largest confirmed change first
    std::vector<MendingFact> mendings;
    std::vector<EarlierFact> earlier;
    /// Of the search that gave the answer, which may be one inside of a merge. By position; [0] is
    /// the good end; may be empty.
    std::vector<SuspectFact> suspects;
    std::vector<InsideFact> insides;  ///< in the order they were searched
    std::vector<OtherChangeFact> others;
    std::int64_t line_commits = 0;  ///< suspects of the search before any merge was entered
    /// Where the search began, when the good build's commit is not on the bad one's line.
    std::optional<Revision> parted_at;
    std::vector<ProbeFact> probes;  ///< by number
    std::vector<EndingFact> endings;
    std::string search_summary;  ///< one line: where the search stands

    bool session_environment_known = false;           ///< recorded for both sides
    std::vector<DifferenceFact> session_environment;  ///< between A and B runs of confirmation
    bool night_environment_known = false;
    std::vector<DifferenceFact> night_environment;  ///< between the two nights' own runs

    std::map<Verdict, int> verdicts;         ///< of the night's suspicions, over all series
    std::int64_t measured_series = 0;        ///< by the nightly's own runs, judged metrics only
    std::int64_t unmoved_series = 0;         ///< of these, without a suspicion
    std::vector<std::string> unmoved_names;  ///< some of them, those of the same benchmarks first
    ReproductionFact reproduction;
};

/// Reads a regression's facts. Works in every state of a regression: what is not there yet is
/// empty.
/// @param config  gives what the ledger does not hold: recipe, repository, thresholds. A project
///                that the config no longer names still gets its report.
/// @throws Error{not_found} when there is no such regression
RegressionFacts load_regression_facts(Database& db, RegressionId regression, const Config& config);

}  // namespace vigil::service
