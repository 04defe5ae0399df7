#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/fix_records.hpp"

// What the summary of a week tells of: the rows of `regression` and `suspicion` with the names of
// what they point at, and the time that `attempt` took.

namespace vigil::service {

struct WeeksRegression {
    RegressionId id;
    RegressionState state = RegressionState::searching;
    std::optional<RegressionEnd> ended_as = {};
    std::string title = {};  ///< of its report
    std::int64_t found_s = 0;
    std::int64_t changed_s = 0;
    std::string issue;              ///< where the report was filed; empty: no issue
    std::string author;             ///< of the culprit, a stranger's text; empty: none is known
    std::optional<Fix> fixed = {};  ///< how series came back at last; nullopt: not told
};
/// Those of a project that are open, or were found or ended since a time, oldest first; of those
/// that ended, what was found a quarter of a year before at most. Found before `until_s`,
/// and told as they stand now.
std::vector<WeeksRegression> list_weeks_regressions(
    Database& db, ProjectId project, std::int64_t since_s, std::int64_t until_s);

/// A series that was measured again and is surely better, or runs again.
struct WeeksImprovement {
    SeriesId series;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    Verdict verdict = Verdict::improvement;
    Comparison confirmed;  ///< the good night against this one; runs_before 0: it runs again
    NightlyId night;
    std::string night_name;
    NightlyId before;  ///< the night that it was held against
    std::string before_name;
    std::optional<Revision> culprit;  ///< that a search named; nullopt: none did
    std::string culprit_subject;      ///< a stranger's text
};
/// Found in a stretch of time, until_s not included; the first of them.
std::vector<WeeksImprovement> list_weeks_improvements(
    Database& db, ProjectId project, std::int64_t since_s, std::int64_t until_s, int limit);

/// The commits of the nights after `before`, up to and with `night`.
struct CommitsBetween {
    std::int64_t count = 0;            ///< as far as they are listed
    std::vector<std::string> authors;  ///< a stranger's text; who wrote most of them first
    std::string subject;               ///< of the only one; empty: there are more, or none
};
CommitsBetween load_commits_between(
    Database& db, ProjectId project, NightlyId before, NightlyId night, int most_authors);

/// A mute that ends soon.
struct EndingMute {
    std::string what;   ///< "regression/7" or "series/3"
    std::string owner;  ///< who answers for it
    std::int64_t until_s = 0;
};
/// Of a project: those that stand and end before a time, the first one first.
std::vector<EndingMute> list_ending_mutes(
    Database& db, ProjectId project, std::int64_t before_s, int limit);

/// Seconds that workers spent on the jobs which were asked for in a stretch of time, lost attempts
/// too.
std::map<Purpose, std::int64_t> load_machine_time(
    Database& db, ProjectId project, std::int64_t since_s, std::int64_t until_s);

}  // namespace vigil::service
