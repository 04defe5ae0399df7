#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/api/common/handlers.hpp"
#include "service/api/rows/asker.hpp"
#include "service/store/lists/lists.hpp"

// Projects, nights and what they measured as the API lists them (asker.hpp).

namespace vigil::service {

struct ProjectsNight {
    NightlyId id;
};

struct ListedProject {
    static constexpr Handler list = list_of<lists::projects, add_config>;

    std::string name;
    std::optional<ProjectsNight> newest_nightly;
};

struct ListedNightly {
    static constexpr Handler list = list_of<lists::nightlies>;
    static constexpr Handler one = get_nightly;

    NightlyId id;
    std::string name, state;
    std::optional<std::string> beside;     ///< why it is no night
    std::optional<std::int64_t> backfill;  ///< that had it measured afterwards
};

struct WeekText {
    static constexpr Handler one = get_week;

    std::string project, body;
};

struct ListedSeries : NamedSeries {
    static constexpr Handler list = list_of<lists::series>;
    static constexpr Handler one = one_of<lists::series>;

    std::int64_t id = 0;
    std::string project, unit;
};

struct ListedRun {
    static constexpr Handler list = list_of<lists::runs>;

    std::int64_t id = 0;
};

struct RunMeasurement {
    std::int64_t series = 0;
    std::optional<double> median;
    std::vector<double> samples;
};

/// One run alone.
struct WholeRun : ListedRun {
    static constexpr Handler one = one_of<lists::runs>;

    std::string purpose, revision, outcome, worker, message;
    std::optional<std::string> log;
    std::vector<RunMeasurement> measurements;
    std::optional<FactTexts> facts;  ///< of its machine
};

struct ListedRequest {
    static constexpr Handler list = list_of<lists::requests, add_runs_of_request>;

    std::int64_t id = 0;
    std::string project, kind, state, a, b, by, message;
    std::optional<std::string> a_revision, b_revision;
    std::int64_t runs = 0;
    std::optional<std::int64_t> most_runs, bisection, ended_at_s;
    std::int64_t created_at_s = 0;
};

struct RequestedVerdict {
    std::int64_t series = 0;
    std::string metric, unit, reason;
    std::optional<std::string> verdict;
    std::optional<ListedSize> comparison;  ///< nothing: it cannot be read
};

struct RequestedRun {
    std::string revision, outcome;
    std::optional<std::string> metric;
    std::optional<double> value;
};

struct RequestedSession {
    std::string benchmark, variant, machine_class, message;
    std::vector<RequestedVerdict> verdicts;
    std::vector<RequestedRun> runs;
};

/// One request alone.
struct WholeRequest : ListedRequest {
    static constexpr Handler one = one_of<lists::requests, add_runs_of_request>;

    std::optional<ListedCommit> culprit;
    std::vector<RequestedSession> sessions;
};

}  // namespace vigil::service
