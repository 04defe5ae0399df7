#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/model/metric.hpp"

namespace vigil::cli {

/// One series out of a file, its nights in order.
struct History {
    std::string name;
    std::optional<Direction> direction;  ///< when the file says one
    /// Nothing says which way is better: neither the file, which could, nor a known word.
    bool untold = false;
    std::string benchmark, variant, metric, machine;  ///< as rules of series see it; or empty
    std::vector<std::string> nights;                  ///< [n] as the file writes them
    std::vector<double> values;                       ///< [n] NaN: not measured
    std::vector<std::string> environments;            ///< [n] empty: as the night before
    std::vector<std::size_t> labels;  ///< nights on which something truly got worse, in order
    std::size_t start = 0;            ///< the first night that is judged in a backtest
    bool labelled = false;            ///< `labels` says all there is

    /// The values of nights that have several; `values` has their medians.
    std::map<std::size_t, std::vector<double>> samples;

    /// All values of night `i`, in the file's order; none when nothing was measured.
    std::vector<double> samples_of(std::size_t i) const;

    /// Whether night `i` is the first in another environment.
    bool moves_at(std::size_t i) const;
};

/// Of those that were measured; NaN: none was.
double median_of_measured(std::span<const double> values);

struct HistoryFile {
    std::vector<History> series;     ///< in the order of their first rows
    std::vector<std::string> notes;  ///< what was done to the rows that the reader should know
};

inline constexpr std::size_t max_history_bytes = std::size_t{256} << 20;
inline constexpr std::size_t max_history_rows = 2'000'000;

}  // namespace vigil::cli
