#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

// What the service said and asked for while nights were played. Commits and series are numbers of
// the world; nights are counted from 0.

namespace vigil::nights {

struct IssueSeries {
    int series = 0;
    std::int64_t recovered = 0;  ///< id of the nightly; 0: it has not
};

/// A regression as it was read at some time.
struct Issue {
    std::int64_t id = 0;
    std::int64_t nightly = 0;
    std::string state;
    std::string reason;
    std::optional<int> culprit;
    int good = 0;
    int bad = 0;
    std::vector<int> suspects;
    std::vector<IssueSeries> series;
};

/// A report about a regression, and the regression right after it was written.
struct IssueReport {
    std::int64_t id = 0;
    int night = 0;
    std::int64_t version = 0;
    std::string title;
    Issue issue;
};

struct Suspected {
    int series = 0;
    std::optional<int> night;
    std::optional<int> good;  ///< night of the old build
    double change = 0;        ///< of the night against its level; above 0: for the worse
    std::string verdict;      ///< empty: none
    bool in_session = false;
    std::optional<double> measured = {};  ///< change between the two builds of its session
};

struct Drifted {
    int series = 0;
    std::optional<int> night;  ///< that listed it
    double change = 0;
};

struct StormSaid {
    std::int64_t nightly = 0;
    std::string state;
};

/// Counted by night and purpose of the job.
using ByPurpose = std::map<std::pair<int, std::string>, int>;

struct Record {
    int played = 0;                      ///< nights
    std::map<std::int64_t, int> nights;  ///< by id of the nightly
    std::vector<IssueReport> reports;    ///< oldest first
    std::vector<Issue> issues;           ///< at the end, newest first
    std::vector<Suspected> suspicions;   ///< newest first
    std::vector<Drifted> drifts;         ///< newest first
    std::vector<StormSaid> storms;
    std::map<std::string, int> searches;  ///< of kind `change`, by state
    std::vector<std::string> released;    ///< workers that a person let go on
    std::vector<std::string> stuck;       ///< why the play ended early
    std::vector<std::string> failed;      ///< messages of nights that failed
    /// Processes by night, purpose, machine class and benchmark.
    std::map<std::tuple<int, std::string, std::string, std::string>, int> runs;
    ByPurpose jobs;
    ByPurpose built;
    std::vector<double> service_cpu_s;  ///< of each night; the tables leave it out
    std::vector<double> world_cpu_s;    ///< the same for the world and for reading what was said
    /// Of the processor: each night's longest step, which is one transaction of the writer.
    std::vector<double> longest_step_s;
};

}  // namespace vigil::nights
