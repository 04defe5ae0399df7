#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "service/api/rows/chart.hpp"
#include "service/pages/measured/axis.hpp"

// What a chart shows, read once: the drawing of the daemon and that of the scripts are made of it.
// Values are those of the axis, places count nights from the oldest.

namespace vigil::service {

/// Whether a chart shows values, or how far each is from the first one of its series.
enum class ChartValues { absolute, relative };

struct ChartAxes {
    chart::AxisScale scale = chart::AxisScale::linear;
    ChartValues values = ChartValues::absolute;
};

struct ChartedNight {
    std::int64_t nightly = 0;
    std::string name;
    std::optional<double> value, low, high, base, limit;
};

/// A value that stands in a night.
struct ChartedSpot {
    std::size_t at = 0;
    double value = 0;
};

struct ChartedLevel {
    std::size_t from = 0;
    std::size_t to = 0;
    double value = 0;
};

/// What both builds measured in turns.
struct ChartedSession {
    std::size_t at = 0;
    double before = 0;
    double after = 0;
};

/// A series that lies over it.
struct ChartedOver {
    std::int64_t series = 0;
    std::string name;
    std::vector<std::optional<double>> values;  ///< of each night
};

struct Charted {
    std::int64_t series = 0;
    std::string unit;  ///< of the axis
    chart::AxisScale scale = chart::AxisScale::linear;
    std::vector<ChartedNight> nights;  ///< oldest first
    std::size_t measured = 0;          ///< of these
    std::vector<ChartedOver> over;
    std::vector<ChartedSpot> left_out;  ///< runs that nothing is judged by
    std::vector<ChartedLevel> levels;
    std::vector<ChartedSession> sessions;
    std::vector<std::size_t> regressions;
    std::vector<std::size_t> begun;  ///< levels, by an answer or a person
    std::vector<std::size_t> moved;  ///< the environment
    std::optional<double> pinned;
};

/// A chart and all that is told of it; outlived by the chart.
struct ToldChart {
    ToldChart(const SeriesChart& chart) : nights(chart.nights), facts(facts_of(chart)) {}

    std::span<const ChartNight> nights;
    ChartFacts facts;
};

/// The axes that a chart has: a series over it of another unit cannot share one of values.
ChartAxes shown_axes(const ToldChart& chart, const ChartAxes& axes);

Charted charted(const ToldChart& chart, const ChartAxes& axes);

/// It as JSON for the scripts (service/web/src/chart/model.ts): columns of the nights, with numbers
/// of six digits, which is more than a screen shows.
std::string plot_text(const Charted& charted);

}  // namespace vigil::service
