#include "bisect/trend/segments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "bisect/stats/summary.hpp"
#include "bisect/trend/partition.hpp"
#include "bisect/trend/rules.hpp"

namespace vigil::trend {

namespace {

constexpr std::size_t shortest_series = 10;
// Spikes are clipped to a running median: what is shorter than a level is none.
constexpr std::size_t window = 2 * Partition::shortest + 1;
constexpr double most_spreads = 4;      // from the running median
constexpr double wandering_from = 0.8;  // correlation above which levels are straight lines
constexpr double most_correlation = 0.9;
constexpr double flat_penalty = 3;
constexpr double line_penalty = 2;
constexpr double smallest_step = 1;  // in pooled deviations, of flat levels
constexpr double seen_share = 0.15;  // of the range of all levels: what a plot shows at once
constexpr double least_deviation = LevelWatchRules{}.least_spread;  // of a segment

std::vector<double> running_medians(std::span<const double> y) {
    std::vector<double> medians(y.size());
    std::array<double, window> around{};
    for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t from = i < window / 2 ? 0 : i - window / 2;
        const std::size_t to = std::min(y.size(), i + window / 2 + 1);
        const auto end = std::copy(
            y.begin() + static_cast<std::ptrdiff_t>(from),
            y.begin() + static_cast<std::ptrdiff_t>(to),
            around.begin());
        const auto middle = around.begin() + (end - around.begin()) / 2;
        std::nth_element(around.begin(), middle, end);
        medians[i] = *middle;
    }
    return medians;
}

/// Logarithms where all is positive, else shares of the values' typical size.
std::vector<double> on_a_scale(std::span<const double> values) {
    std::vector<double> y(values.begin(), values.end());
    if (std::all_of(y.begin(), y.end(), [](double v) { return v > 0; })) {
        for (double& v : y) v = std::log(v);
        return y;
    }
    std::vector<double> sizes;
    for (const double v : y) {
        if (v != 0) sizes.push_back(std::abs(v));
    }
    const double unit = sizes.empty() ? 1 : stats::median(sizes);
    for (double& v : y) v = std::clamp(v / unit, -1e6, 1e6);
    return y;
}

void clip_spikes(std::vector<double>& y) {
    const std::vector<double> medians = running_medians(y);
    std::vector<double> away(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) away[i] = std::abs(y[i] - medians[i]);
    double reach = stats::gaussian_deviation * stats::median(away);
    if (reach == 0) reach = stats::mean(away);  // most values are equal
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] =
            std::clamp(y[i], medians[i] - most_spreads * reach, medians[i] + most_spreads * reach);
    }
}

/// 0: independent values; towards 1: a random walk. Steps hardly count.
double correlation(std::span<const double> y) {
    std::vector<double> d(y.size() - 1);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = y[i + 1] - y[i];
    std::vector<double> sizes(d.size());
    std::transform(d.begin(), d.end(), sizes.begin(), [](double x) { return std::abs(x); });
    const double most = 3 * stats::gaussian_deviation * stats::median(sizes);
    double squares = 0;
    double products = 0;
    double last = 0;
    for (double& x : d) {
        if (most > 0) x = std::clamp(x, -most, most);
        squares += x * x;
        products += x * last;
        last = x;
    }
    return squares > 0 ? std::clamp(1 + 2 * products / squares, 0.0, most_correlation) : 0;
}

/// What is known of a cut: the mean of each level, and how far apart these and the values are.
struct Means {
    std::vector<double> of;
    double deviation = 0;  ///< of the values from their level's mean
    double range = 0;      ///< from the lowest mean to the highest

    double step(std::size_t start) const { return std::abs(of[start + 1] - of[start]); }
};

Means means_of(const Partition& partition, const std::vector<std::size_t>& starts) {
    Means means;
    double squares = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i <= starts.size(); ++i) {
        const std::size_t to = i < starts.size() ? starts[i] : partition.size();
        squares += partition.squares(from, to);
        means.of.push_back(partition.mean(from, to));
        from = to;
    }
    means.deviation = std::sqrt(squares / static_cast<double>(partition.size()));
    const auto [lowest, highest] = std::minmax_element(means.of.begin(), means.of.end());
    means.range = *highest - *lowest;
    return means;
}

/// Whether two flat neighbours are apart for sure, the scatter being theirs.
bool is_sure(const Partition& partition, const Levels& levels, std::size_t start, double step) {
    const auto& starts = levels.starts;
    const std::size_t from = start > 0 ? starts[start - 1] : 0;
    const std::size_t cut = starts[start];
    const std::size_t to = start + 1 < starts.size() ? starts[start + 1] : partition.size();
    const auto before = static_cast<double>(cut - from);
    const auto after = static_cast<double>(to - cut);
    const double squares = partition.squares(from, cut) + partition.squares(cut, to);
    const double spread = std::max(std::sqrt(squares / (before + after)), least_deviation);
    return step >= surely_apart * spread * levels.stretch * std::sqrt(1 / before + 1 / after);
}

/// Removes the smallest steps first until each is worth telling: larger than a pooled deviation
/// where levels are flat, and sure or large enough to be seen beside the largest.
void drop_small_steps(const Partition& partition, Levels& levels) {
    auto& starts = levels.starts;
    const bool flat = !levels.wandering;
    while (!starts.empty()) {
        const Means means = means_of(partition, starts);
        std::vector<std::size_t> kept;
        double smallest = std::numeric_limits<double>::infinity();
        std::size_t where = 0;
        for (std::size_t i = 0; i < starts.size(); ++i) {
            const double step = means.step(i);
            const bool large = !flat || step >= smallest_step * means.deviation;
            const bool seen =
                step >= seen_share * means.range || (flat && is_sure(partition, levels, i, step));
            if (large && seen) {
                kept.push_back(starts[i]);
            } else if (step < smallest) {
                smallest = step;
                where = i;
            }
        }
        if (kept.size() == starts.size()) return;
        if (starts.size() <= 64) {
            starts.erase(starts.begin() + static_cast<std::ptrdiff_t>(where));
        } else {
            starts = std::move(kept);  // of very many, all that are too small go at once
        }
    }
}

}  // namespace

Levels cut_into_levels(std::span<const double> values) {
    Levels levels;
    std::vector<double> measured;
    std::vector<std::size_t> position;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        measured.push_back(values[i]);
        position.push_back(i);
    }
    if (measured.size() < shortest_series) return levels;
    std::vector<double> y = on_a_scale(measured);
    clip_spikes(y);
    const double phi = correlation(y);
    levels.wandering = phi >= wandering_from;
    levels.stretch = std::sqrt((1 + phi) / (1 - phi));
    const double penalty = (levels.wandering ? line_penalty : flat_penalty) *
                           std::log(static_cast<double>(y.size())) * levels.stretch;
    const Partition partition(
        y, levels.wandering ? Partition::Shape::line : Partition::Shape::flat, least_deviation);
    levels.starts = partition.best(penalty);
    drop_small_steps(partition, levels);
    for (std::size_t& start : levels.starts) start = position[start];
    return levels;
}

bool may_have_levels(std::span<const double> values) {
    // Of two levels that are surely apart, some two neighbouring stretches as long as these show
    // it.
    static constexpr std::array<std::size_t, 9> stretches{5, 7, 10, 14, 20, 28, 40, 56, 80};
    constexpr double apart = 3;  // standard errors; certain changes are five of a median's
    std::vector<double> measured;
    std::copy_if(values.begin(), values.end(), std::back_inserter(measured), [](double v) {
        return std::isfinite(v);
    });
    if (measured.size() < shortest_series) return false;
    std::vector<double> y = on_a_scale(measured);
    clip_spikes(y);
    std::vector<double> sums(y.size() + 1);
    for (std::size_t i = 0; i < y.size(); ++i) sums[i + 1] = sums[i] + y[i];
    const double spread = std::max(stats::spread_of_steps(y), least_deviation);
    for (const std::size_t stretch : stretches) {
        const auto n = static_cast<double>(stretch);
        const double least = apart * spread * std::sqrt(2 * n);  // of a difference of sums
        for (std::size_t i = stretch; i + stretch <= y.size(); ++i) {
            if (std::abs(sums[i + stretch] - 2 * sums[i] + sums[i - stretch]) >= least) return true;
        }
    }
    return false;
}

std::vector<std::size_t> find_levels(std::span<const double> values) {
    return cut_into_levels(values).starts;
}

}  // namespace vigil::trend
