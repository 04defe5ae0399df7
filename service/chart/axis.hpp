#pragma once

#include <limits>
#include <vector>

// Where values lie in a drawing. Pure values, with which every chart is drawn: those of the pages,
// of reports of a search, and of studies of a history.

namespace vigil::chart {

/// The lowest and the highest of some values.
struct ValueRange {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;

    /// What is not finite is left out.
    void add(double value);
    bool empty() const { return low > high; }
    /// From 0 at the lowest to 1 at the highest, beyond for what lies outside; 0.5 where these are
    /// equal. Ranges of huge values do not overflow.
    double share_of(double value) const;
};

/// @param least  > 0
/// @param unit   what powers of ten are counted in, such as 1024
/// @return  the smallest of 1, 2 and 5 times a power of ten that is at least `least`
double round_step(double least, double unit = 1);

/// How values are laid along an axis.
enum class AxisScale { linear, log };

/// A vertical axis whose ticks are round numbers, `height` units of a drawing high.
struct ChartAxis {
    double bottom = 0;
    double top = 1;
    double step = 1;
    double height = 300;
    AxisScale scale = AxisScale::linear;

    /// Distance from the top.
    double place_of(double value) const;
    /// From the top, evenly placed: on a log axis they are not round.
    std::vector<double> ticks() const;
};

/// A linear axis of whole steps that holds `low` and `high`.
ChartAxis axis_of_steps(double low, double high, double step, double height);

}  // namespace vigil::chart
