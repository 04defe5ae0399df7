#include "service/cli/detect/text_plot.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "service/chart/axis.hpp"
#include "service/cli/history/history.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t plot_rows = 8;
constexpr std::size_t axis_columns = 11;
constexpr std::size_t narrowest_plot = 30;

/// One value a column: the nights that share it become their median.
std::vector<double> shrunk_to(std::span<const double> values, std::size_t columns) {
    std::vector<double> shrunk(std::min(columns, values.size()));
    for (std::size_t i = 0; i < shrunk.size(); ++i) {
        const std::size_t from = i * values.size() / shrunk.size();
        const std::size_t to = (i + 1) * values.size() / shrunk.size();
        shrunk[i] = median_of_measured(values.subspan(from, to - from));
    }
    return shrunk;
}

/// The median of each night's level.
std::vector<double> levels_of(std::span<const double> values, std::span<const std::size_t> starts) {
    std::vector<double> levels(values.size());
    std::size_t from = 0;
    for (std::size_t i = 0; i <= starts.size(); ++i) {
        const std::size_t to = i < starts.size() ? starts[i] : values.size();
        const double level = median_of_measured(values.subspan(from, to - from));
        std::fill(
            levels.begin() + static_cast<std::ptrdiff_t>(from),
            levels.begin() + static_cast<std::ptrdiff_t>(to),
            level);
        from = to;
    }
    return levels;
}

}  // namespace

std::string text_plot(
    std::span<const double> values, std::span<const std::size_t> starts, std::size_t width) {
    const std::size_t columns = std::max(width, narrowest_plot) - axis_columns;
    const auto points = shrunk_to(values, columns);
    const auto levels = shrunk_to(levels_of(values, starts), columns);
    chart::ValueRange range;
    for (const auto* curve : {&points, &levels}) {
        for (const double value : *curve) range.add(value);
    }
    if (range.empty()) return "";
    // A flat series is a line in the middle, not its last digit enlarged.
    const double middle = range.low / 2 + range.high / 2;
    const double least = std::max(0.02 * std::abs(middle), 1e-300);
    const double reach = std::max(range.high / 2 - range.low / 2, least);
    const auto row_of = [&](double v) {
        const double share = std::clamp(((middle - v) / reach + 1) / 2, 0.0, 1.0);
        return static_cast<std::size_t>(std::lround(share * (plot_rows - 1)));
    };
    std::string plot;
    for (std::size_t row = 0; row < plot_rows; ++row) {
        const bool labelled = row == 0 || row + 1 == plot_rows;
        const double edge = row == 0 ? middle + reach : middle - reach;
        std::string line = labelled ? fmt::format("{:>9.4g} |", edge) : fmt::format("{:>9} |", "");
        for (std::size_t i = 0; i < points.size(); ++i) {
            const bool point = std::isfinite(points[i]) && row_of(points[i]) == row;
            const bool level = std::isfinite(levels[i]) && row_of(levels[i]) == row;
            line += point && level ? "◆" : level ? "─" : point ? "·" : " ";
        }
        while (line.ends_with(' ')) line.pop_back();
        plot += line + "\n";
    }
    return plot;
}

}  // namespace vigil::cli
