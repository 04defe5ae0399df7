#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/api/common/handlers.hpp"
#include "service/api/rows/asker.hpp"
#include "service/store/lists/lists.hpp"

// Findings as the API lists them (asker.hpp).

namespace vigil::service {

/// What became of a regression.
struct RegressionStanding {
    static constexpr Handler list = list_of<lists::regressions>;

    std::int64_t nightly = 0;
    std::string state;
    std::optional<std::string> ended_as;

    /// How it ended, else its state.
    const std::string& standing() const { return ended_as ? *ended_as : state; }
    /// Whether it is one still: it was neither refuted nor not reproduced.
    bool holds() const;
};

struct ListedToday : ListedChange {
    std::int64_t nightly = 0;
    std::string night;
};

struct ListedSeriesChange : NamedSeries {
    std::int64_t series = 0;
    std::string unit;
    std::optional<double> change_ratio;  ///< of the night alone
    std::optional<ListedSize> size;      ///< nothing: it was not measured again
    std::optional<ListedToday> today;
    std::optional<std::int64_t> recovered_nightly;

    /// By how much it got worse, see ratio_of.
    std::optional<double> worse() const;
};

struct RegressionLinks {
    std::optional<std::string> issue, culprit, range;
};

struct ListedRegression : RegressionStanding {
    static constexpr Handler list = list_of<lists::regressions, add_worst>;

    std::int64_t id = 0;
    std::string project, good_revision, bad_revision;
    std::int64_t created_at_s = 0;
    std::optional<std::string> assigned;
    bool muted = false;
    std::optional<ListedCommit> culprit_commit;
    std::vector<ListedSeriesChange> series;
    RegressionLinks links;

    /// The series that got worse the most; null where none has a size.
    const ListedSeriesChange* worst() const;
};

struct ReportName {
    std::int64_t id = 0;
    std::string title;
};

/// What a person last said of it.
struct LastAnswer {
    std::string by, reason;
    std::int64_t at_s = 0;
};

/// Its profiles, as far as a page tells of them.
struct RegressionProfiles {
    std::string state;
    std::optional<std::string> flame;
};

/// Its revert check, as far as a page tells of it.
struct RegressionRevertCheck {
    std::string state, words;
    std::optional<std::int64_t> request;  ///< that measures it
};

/// One regression alone.
struct WholeRegression : ListedRegression {
    static constexpr Handler one = get_regression;

    std::optional<std::int64_t> bisection;
    std::optional<std::string> culprit;
    std::string reason;
    std::optional<LastAnswer> answer;
    std::vector<ReportName> reports;   ///< the newest first
    std::vector<std::int64_t> missed;  ///< those that people told, because it was not found
    std::optional<RegressionProfiles> why;
    std::optional<RegressionRevertCheck> revert;
};

struct ListedSearch {
    static constexpr Handler list = list_of<lists::bisections>;

    std::int64_t id = 0;
    std::string project, kind, state, good_revision, bad_revision;
    std::int64_t created_at_s = 0;
    std::optional<std::int64_t> ended_at_s;

    bool is_at_work() const;
};

struct SearchEnding {
    std::string ending;
    std::int64_t first = 0;
};

struct SearchConclusion {
    std::vector<SearchEnding> endings;
};

/// A commit of a search's range.
struct ListedSuspect {
    int position = 0;
    std::string revision, subject, author;
    std::optional<std::string> stands_for;

    /// A dependency's commit by its own name.
    const std::string& own() const { return stands_for ? *stands_for : revision; }
};

struct ProbePlan {
    std::string purpose, why;
    std::vector<int> commits;
};

struct ListedObservation {
    std::int64_t run = 0;
    std::string revision, outcome;
    std::optional<std::string> log;
    std::optional<std::int64_t> series;
    std::optional<double> value;
};

struct ListedProbe {
    int number = 0;
    std::string state;
    std::optional<ProbePlan> plan;  ///< nothing: it cannot be read
    std::optional<std::string> job_state, worker, machine_class;
    std::optional<std::int64_t> begun_at_s, ended_at_s;
    std::vector<ListedObservation> observations;

    bool is_open() const { return state == "open"; }
};

/// One search alone.
struct WholeSearch : ListedSearch {
    static constexpr Handler one = one_of<lists::bisections>;

    std::optional<std::int64_t> nightly, outer;
    std::optional<std::string> merge, dependency;
    std::optional<SearchConclusion> conclusion;
    std::optional<std::string> log_tail;  ///< of a build that broke
    std::vector<std::int64_t> regressions, inner;
    std::vector<ListedSuspect> suspects;
    std::vector<ListedProbe> probes;

    /// The commit at a position of the range; null where it is not listed.
    const ListedSuspect* suspect_at(std::int64_t position) const;
    /// Its revision; empty where it is not listed.
    std::string revision_at(std::int64_t position) const;
    /// Positions of the commits that it named; none while it goes on.
    std::set<std::int64_t> named() const;
};

struct ListedReport {
    static constexpr Handler one = one_of<lists::reports>;

    int version = 0;
    std::int64_t created_at_s = 0;
    std::string body;
};

struct ListedEvent {
    static constexpr Handler list = list_of<lists::events>;

    std::int64_t at_s = 0;
    std::string kind, message;

    const std::string& words() const { return message.empty() ? kind : message; }
};

struct ListedMute {
    static constexpr Handler list = list_of<lists::mutes>;

    std::optional<std::int64_t> regression;
    std::int64_t until_s = 0;
};

struct ListedMissed {
    static constexpr Handler list = list_of<lists::missed>;
    static constexpr Handler one = one_of<lists::missed>;

    std::int64_t id = 0, nightly = 0, series = 0;
    std::string by, night, state, message;
    std::optional<std::string> commit;
    std::optional<std::int64_t> regression;
};

struct ListedTrouble {
    static constexpr Handler list = list_of<lists::troubles>;

    std::string subject, message;
    std::int64_t since_s = 0;
    std::string kind;
};

}  // namespace vigil::service
