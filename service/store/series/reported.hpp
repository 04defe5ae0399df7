#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/series_rule.hpp"
#include "schema/model/states.hpp"
#include "service/store/database.hpp"

// What a night found of its series, as reports tell of it.

namespace vigil::service {

/// A suspicion of the night and what became of it.
struct NightChangeFact {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    std::optional<Verdict> verdict;  ///< nullopt: still being confirmed
    double change_ratio = 0;         ///< of the night against its baseline
    std::string waits = {};          ///< why it goes on another night; empty: it had its turn
    Comparison confirmed = {};       ///< by its session; runs_before 0: nothing
    std::optional<Comparison> verified = {};  ///< by the search of its only regression
};
std::vector<NightChangeFact> list_night_changes(Database& db, NightlyId nightly);

/// A change that is certain and not filed, found tonight.
struct NightDriftFact {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    std::string kind;         ///< history, measured, creep
    std::string since_night;  ///< name of the likeliest first one
    double change_ratio = 0;
    double low = 0;  ///< 90 % interval
    double high = 0;
};
std::vector<NightDriftFact> list_night_drifts(Database& db, NightlyId nightly);

/// What a nightly's own runs measured of one metric's series, as far as values can be judged.
struct MeasuredMetric {
    Metric metric = Metric::wall_time_ns;
    Judging judging = Judging::as_metric;
    std::int64_t series = 0;
    std::int64_t first = 0;  ///< of these: no earlier night has a value
};
std::vector<MeasuredMetric> list_measured_metrics(Database& db, NightlyId nightly);

/// How the night's suspicions of a project's series ended.
std::map<Verdict, int> count_verdicts(Database& db, NightlyId nightly, ProjectId project);

/// A series that the nightly's own runs measured.
struct ConsideredSeries {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    Judging judging = Judging::as_metric;
    bool suspected = false;  ///< by this nightly
};
/// Those of the regression's own benchmarks first: they are the telling ones.
std::vector<ConsideredSeries> list_considered_series(
    Database& db, NightlyId nightly, RegressionId regression);

}  // namespace vigil::service
