#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "service/store/database.hpp"
#include "service/store/lists/chart.hpp"

// What the nights of a project measured, series by series.

namespace vigil::service {

struct SuiteSeriesRow {
    SeriesId id;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    Metric metric = Metric::wall_time_ns;
    std::string unit;
    Direction direction = Direction::lower_is_better;
    std::string case_name = {};  ///< of the program; empty: it is one benchmark
    std::string quantity = {};   ///< a counter's own name; empty: the metric says it
    std::string shown = {};      ///< benchmark, case and quantity, for people
};
/// By their names.
std::vector<SuiteSeriesRow> list_suite_series(Database& db, ProjectId project, int limit);

/// The newest nights of a project up to and with `until`, newest first.
std::vector<ChartNightRow> list_suite_nights(
    Database& db, ProjectId project, NightlyId until, int limit);

/// The newest night of a revision.
std::optional<NightlyId> find_night_of(
    Database& db, ProjectId project, const std::string& revision);

/// A passed run of a night's own that is not left out.
struct SuiteRun {
    SeriesId series;
    NightlyId nightly;
    double value = 0;  ///< the series' unit
};
/// Of one night, in the order of the runs.
std::vector<SuiteRun> list_suite_runs(Database& db, NightlyId nightly);

/// What one of them measured, by the names of its series.
struct SuiteMedian {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    std::string metric;
    std::string unit;
    double value = 0;
};
std::vector<SuiteMedian> list_suite_medians(Database& db, NightlyId nightly);
/// What a run of a night's own said of itself: how it ran, and, where it passed and is not left
/// out, how long it took to compile and how it compares with the base.
struct SuiteSaid {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    std::string name;
    std::optional<double> value;
    std::string text;
};
std::vector<SuiteSaid> list_suite_said(Database& db, NightlyId nightly);

/// What became of one run of a night's own.
struct SuiteOutcome {
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    std::string outcome;
    std::string message;
    std::optional<std::int64_t> environment;
};
/// In the order of the runs.
std::vector<SuiteOutcome> list_suite_outcomes(Database& db, NightlyId nightly);

/// All samples of a night's own runs of a series, in the order they were taken.
std::vector<double> list_night_samples(Database& db, SeriesId series, NightlyId nightly);

}  // namespace vigil::service
