#pragma once

#include "service/api/results/series_chart.hpp"
#include "service/api/rows/findings.hpp"
#include "service/api/rows/fleet.hpp"

// What the API tells of a series' chart beside its nights (asker.hpp).

namespace vigil::service {

/// What both builds measured in turns; runs_before 0: nothing.
struct ChartMeasured {
    double before = 0, after = 0, runs_before = 0;
};

struct ChartSession {
    std::int64_t nightly = 0;
    std::optional<std::int64_t> session;
    std::optional<std::string> verdict;
    std::optional<double> change_ratio;  ///< of the night alone
    std::optional<ChartMeasured> confirmed;
    std::optional<ListedSize> size;
    std::string reason;
};

struct ChartRegression : RegressionStanding {
    std::int64_t regression = 0;
    std::optional<std::int64_t> recovered_nightly;
};

struct ChartBaseline {
    std::int64_t nightly = 0;
    std::string kind, reason;
};

struct ChartEnvironment {
    std::int64_t nightly = 0;
    std::string worker;
    std::vector<ChangedFact> changed;
};

struct ChartLevel {
    std::int64_t first = 0, last = 0;
    std::optional<double> value;
};

struct ChartMove {
    std::int64_t first = 0;  ///< night of the new level
    std::optional<double> before, after;
    bool certain = false;
};

/// A series over it, with its values in the nights of the chart.
struct ChartOver : NamedSeries {
    std::int64_t id = 0;
    std::string unit;
    std::vector<std::optional<double>> values;
};

struct ChartFacts : NamedSeries {
    std::int64_t id = 0;
    std::string project, unit;
    std::optional<std::string> direction, judging;
    std::optional<std::int64_t> older;
    std::vector<ChartSession> sessions;
    std::vector<ChartRegression> regressions;
    std::vector<ChartBaseline> baselines;
    std::vector<ChartEnvironment> environments;
    std::vector<ChartLevel> levels;
    std::vector<ChartMove> changes;
    std::vector<ChartOver> with;
};

ChartFacts facts_of(const SeriesChart& chart);

struct ToldLine {
    std::string head, words;
};

struct ToldLoop {
    std::vector<ToldLine> lines;
};

struct ToldShape {
    std::vector<ToldLine> lines;
    std::vector<std::vector<std::string>> rivals;  ///< a table, its first row the heads
};

/// Why a night of a series says what it says.
struct SeriesNightWhy {
    static constexpr Handler one = get_series_night;

    std::optional<ToldLoop> loop;
    std::optional<ToldShape> shape;
    std::vector<ChartSession> asked;
};

}  // namespace vigil::service
