#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/fix_records.hpp"

// Regressions as reports tell of them: the rows of `regression`, `regression_series` and `fix`
// with the names of what they point at.

namespace vigil::service {

struct ReportedRegression {
    RegressionId id;
    ProjectId project_id;
    std::string project;  ///< its name
    RegressionState state = RegressionState::searching;
    std::optional<RegressionEnd> ended_as = {};  ///< of one that is closed
    std::optional<Revision> culprit;             ///< only after verification
    std::vector<Revision> left;                  ///< suspects left when there is no culprit
    std::string reason;                          ///< why only a range, or why not reproduced
    BuildId good_build;
    BuildId bad_build;
    std::optional<BisectionId> bisection;  ///< which answers for it
    NightlyId found;                       ///< the nightly that showed it
    std::string found_night;               ///< its name
    std::optional<RegressionId> split_from;
    std::int64_t created_at_s = 0;
    std::string assigned;  ///< whom a person named to look at it; empty: nobody
};
ReportedRegression load_reported_regression(Database& db, RegressionId regression);

/// A series of a regression.
struct ReportedSeries {
    SeriesId id;
    std::string benchmark;  ///< with case and quantity, for people
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    std::string unit;
    Direction direction = Direction::lower_is_better;
    Verdict verdict = Verdict::regression;
    Comparison confirmed;                ///< the good build against the bad one
    std::optional<Comparison> verified;  ///< the culprit against its parent, from runs of its own
    std::string rule;                    ///< what made it suspect, in words
    std::string recovered_night;         ///< its name; empty: not recovered
    /// How the bad build's newest run failed that did. Of one that is broken: nothing where nobody
    /// measured it again.
    std::optional<Outcome> failed = {};
    bool shared = false;         ///< another regression has a part in what was confirmed
    NightlyId found = {};        ///< the nightly in which it was confirmed
    std::string program = {};    ///< the benchmark as the config calls it
    std::string case_name = {};  ///< of the program; empty: it is one benchmark
    std::optional<double> own_threshold = {};  ///< by a rule of series; nullopt: the project's
};
std::vector<ReportedSeries> list_reported_series(Database& db, RegressionId regression);

/// A series of an open regression, not back yet, that a later night measured again.
struct RemeasuredSeries {
    RegressionId regression;
    SeriesId series;
    NightlyId found;  ///< the nightly that showed it
    Comparison confirmed;
    Comparison verified;  ///< by the search; runs_after 0: nothing
    bool shared = false;  ///< another regression has a part in what was confirmed
};
std::vector<RemeasuredSeries> list_measured_again(Database& db, NightlyId nightly);

/// What a person did last with a regression.
struct AnswerFact {
    std::string from;  ///< the state before, as it is named
    std::string to;
    std::string by;
    std::string reason;  ///< a person's text; may be empty
    std::int64_t at_s = 0;
};
std::optional<AnswerFact> find_answer(Database& db, RegressionId regression);

/// Who could be asked about a regression. Author and address are a stranger's text.
struct RequestedRow {
    std::string assigned;  ///< whom a person named; empty: nobody
    std::string author;    ///< of the culprit; empty: there is none
    std::string email;     ///< of the author; empty: it is not known
    std::int64_t found_s = 0;
};
RequestedRow load_requested(Database& db, RegressionId regression);

/// A series of another regression of the same confirmed suspicions: one for each commit that moved
/// them.
struct OtherSeries {
    RegressionId regression;
    std::optional<Revision> culprit;
    std::vector<Revision> left;
    SeriesId series;
    std::optional<Comparison> verified;
};
std::vector<OtherSeries> list_other_series(Database& db, RegressionId regression);

/// How some series of a regression came back.
struct FixFact {
    NightlyId nightly;      ///< measured as back
    NightlyId bad_nightly;  ///< the last that was measured as bad
    std::string night;      ///< their names
    std::string bad_night;
    Revision fixed;  ///< their revisions
    Revision bad;
    std::optional<Fix> told;  ///< nullopt: the commits in between are not listed yet
};
/// Of a regression, oldest night first.
/// @param only  of this night alone
std::vector<FixFact> list_fix_facts(
    Database& db, RegressionId regression, std::optional<NightlyId> only = std::nullopt);

/// An earlier regression of the same series, which recovered.
struct EarlierFact {
    RegressionId regression;
    std::optional<Revision> culprit;
    std::string subject;  ///< of the culprit; a stranger's text
    std::string issue;    ///< its address; empty: none is known
    std::string night;    ///< in which it recovered, its name
};
/// The newest first, of the last 30 days before the regression.
std::vector<EarlierFact> list_earlier_facts(Database& db, RegressionId regression);

/// A regression as a night tells of it.
struct NightsRegression {
    RegressionId id;
    RegressionState state = RegressionState::searching;
    std::optional<RegressionEnd> ended_as = {};
    std::string title = {};  ///< of its report
    std::optional<Revision> culprit = {};
    bool tonight = false;          ///< found by this night
    bool recovered = false;        ///< its last series came back this night
    std::string found_night = {};  ///< its name
    std::string issue = {};        ///< where the report was filed; empty: no issue
    int back = 0;                  ///< series that came back this night
    int series = 0;                ///< of how many
};
/// Those of a project that are open, and those that a nightly found or saw come back, newest first.
std::vector<NightsRegression> list_nights_regressions(
    Database& db, ProjectId project, NightlyId nightly);

}  // namespace vigil::service
