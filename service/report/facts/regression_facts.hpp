#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bisect/search/levels.hpp"
#include "service/config/config.hpp"
#include "service/config/links.hpp"
#include "service/report/facts/fact_difference.hpp"
#include "service/store/findings/missed.hpp"
#include "service/store/findings/reported.hpp"
#include "service/store/findings/reported_searches.hpp"
#include "service/store/findings/revert_checks.hpp"
#include "service/store/findings/whys.hpp"
#include "service/store/nights/reported.hpp"
#include "service/store/series/reported.hpp"
#include "service/watch/recover/level_today.hpp"

namespace vigil::service {

// What a report on one regression says, as plain values: rendering needs nothing else.

struct SeriesFact : ReportedSeries {
    double threshold = 0.07;               ///< change ratio above which worse counts
    std::optional<LevelToday> today = {};  ///< where it is open and a later night measured it
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
    std::optional<search::Explained> explained = {};  ///< of the change between the search's ends
};

/// An environment fact that was not the same on both sides.
struct DifferenceFact {
    std::string name;
    std::string good;  ///< the values seen, sorted, ", " between; "not recorded" when none
    std::string bad;
};

/// What the runs of one session said beside their samples, and was clearly not the same on both
/// sides.
struct BesideFact {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    std::vector<FactDifference> differences;  ///< never empty
};

/// What it takes to measure the pair by hand.
struct ReproductionFact {
    SourceKind source = SourceKind::git;
    std::string repository;  ///< path or URL; may be empty for archives
    std::string package;     ///< npm, http-index: the first one
    std::string index;       ///< http-index: its address
    IndexLayout layout = IndexLayout::wheels;
    bool has_more_packages = false;  ///< http-index
    Recipe recipe;
    EnvironmentVariables environment;        ///< of the machine class
    std::optional<BenchmarkPlan> benchmark;  ///< of the first series; nullopt: no longer known
};

/// A search inside of a merge.
struct InsideFact : ReportedInside {
    Revision merge;
    bool led = false;       ///< the answer is among them, or came in by a merge among them
    std::string said = {};  ///< how it ended for this regression, in words; empty: goes on
    std::vector<Revision> left = {};             ///< what it was narrowed to; mostly empty
    std::optional<DependencyCommit> named = {};  ///< of a dependency's commits
    double change_ratio = 0;                     ///< verified of that one; 0: it is the only one
};

/// What else moved one of the regression's series within the same range.
struct OtherChangeFact {
    int series = 0;                          ///< index into RegressionFacts::series
    std::optional<RegressionId> regression;  ///< its own; nullopt: it is told here only
    Revision first;                          ///< culprit: first == last; empty: not known yet
    Revision last;
    bool verified = false;
    double change_ratio = 0;  ///< of it alone
    bool remains = false;     ///< it was not found
    double remaining =
        0;  ///< P(it is there), of one that was not found; 0: no single one is likely
};

/// The culprit was reverted, and that brought nothing back.
struct RevertedFact {
    struct Series {
        int series = 0;           ///< index into RegressionFacts::series
        double change_ratio = 0;  ///< of that night's value, against the level before
    };
    Fix told;
    std::string night;  ///< the newest that was measured with the revert, its name
    std::vector<Series> still_worse;
};

struct RegressionFacts : ReportedRegression {
    Links links;
    std::string marker;  ///< last line of the report, by which it is found again
    EndFact good;
    EndFact bad;
    std::optional<std::int64_t> answer_by_s;  ///< by when an answer is asked for
    bool hears_comments = false;              ///< a command below its issue is acted on
    std::string on_call;                      ///< login of who was when it was found; or empty
    std::optional<AnswerFact> answer;         ///< what a person said last
    std::vector<std::string> withdrawn;       ///< of the night: what, by whom and why, in words
    std::vector<ReportedMissed> missed;       ///< people told it, because it was not found

    std::vector<SeriesFact> series;     ///< the largest change first
    std::optional<RegressionWhy> why;   ///< which functions execute more; nullopt: not asked
    std::optional<RevertCheck> revert;  ///< whether that would help; nullopt: not asked
    std::vector<FixFact> fixes;
    std::optional<RevertedFact> reverted;
    std::vector<EarlierFact> earlier;
    /// Of the search that gave the answer, which may be one inside of a merge. By position; [0] is
    /// the good end; may be empty.
    std::vector<SuspectFact> suspects;
    std::vector<InsideFact> insides;  ///< in the order they were searched
    std::vector<OtherChangeFact> others;
    std::int64_t line_commits = 0;  ///< suspects of the search before any merge was entered
    /// Where the search began, when the good build's commit is not on the bad one's line.
    std::optional<Revision> parted_at;
    std::optional<ReportedNights> nights;  ///< archives were measured first
    std::vector<ProbeFact> probes;         ///< by number
    /// [series][rows] of the measured commits, and always of culprit and parent; may be empty.
    std::vector<std::vector<search::CommitLevel>> levels;
    std::vector<EndingFact> endings;
    std::string search_summary;  ///< one line: where the search stands

    bool session_environment_known = false;           ///< recorded for both sides
    std::vector<DifferenceFact> session_environment;  ///< between A and B runs of confirmation
    std::vector<BesideFact> beside;                   ///< of the same runs, by session
    bool night_environment_known = false;
    std::vector<DifferenceFact> night_environment;  ///< between the two nights' own runs

    std::vector<NightChangeFact> better;    ///< what became better in the night that raised it
    std::vector<std::string> series_notes;  ///< what came, went, or is measured in another way then
    std::map<Verdict, int> verdicts;        ///< of the night's suspicions, over all series
    std::int64_t measured_series = 0;       ///< by the nightly's own runs, judged metrics only
    std::int64_t unmoved_series = 0;        ///< of these, without a suspicion
    std::vector<std::string> unmoved_names;  ///< some of them, those of the same benchmarks first
    ReproductionFact reproduction;
};

/// Reads a regression's facts. Works in every state of a regression: what is not there yet is
/// empty.
/// @param config  gives what the ledger does not hold: recipe, repository, thresholds. A project
///                that the config no longer names still gets its report.
/// @throws Error{not_found} when there is no such regression
RegressionFacts load_regression_facts(Database& db, RegressionId regression, const Config& config);

/// The one size of its change: of all runs that measured it (bisect/stats/one_size.hpp).
Comparison best_comparison(const SeriesFact& series);

/// Whether only the night's own runs say that it is worse, or no longer runs.
bool is_unconfirmed(const SeriesFact& series);

}  // namespace vigil::service
