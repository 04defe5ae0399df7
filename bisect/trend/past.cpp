#include "bisect/trend/past.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"
#include "bisect/trend/background.hpp"
#include "bisect/trend/scale.hpp"
#include "bisect/trend/segments.hpp"

namespace vigil::trend {

namespace {

constexpr std::size_t moved_at_most = 16;    // nights from where the cut is
constexpr std::size_t nights_of_a_line = 7;  // of a straight line, those next to the change
constexpr double plausible_nats = 2;
constexpr double least_certain = 0.01;

/// The measured nights of a series on the scale where up is worse.
struct Measured {
    std::vector<double> level;
    std::vector<std::size_t> position;
    Scale scale;
};

Measured measured_of(std::span<const double> values, Direction direction) {
    Measured nights{{}, {}, Scale(direction)};
    std::vector<double> raw;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        raw.push_back(values[i]);
        nights.position.push_back(i);
    }
    const bool positive = std::all_of(raw.begin(), raw.end(), [](double v) { return v > 0; });
    if (!positive) nights.scale.use_shares_of(raw);
    for (const double value : raw) nights.level.push_back(nights.scale.level_of(value));
    return nights;
}

/// Two neighbouring levels: [from, cut) and [cut, to) in measured nights.
struct Neighbours {
    std::span<const double> before;
    std::span<const double> after;
    double middle_before = 0;
    double middle_after = 0;
    double spread = 0;
};

Neighbours neighbours_of(
    const Measured& nights, std::size_t from, std::size_t cut, std::size_t to, bool wandering) {
    const std::size_t most = wandering ? nights_of_a_line : nights.level.size();
    from = std::max(from, cut - std::min(cut, most));
    to = std::min(to, cut + most);
    const std::span all(nights.level);
    Neighbours two{all.subspan(from, cut - from), all.subspan(cut, to - cut)};
    two.middle_before = stats::median(two.before);
    two.middle_after = stats::median(two.after);
    std::vector<double> away;
    for (const double y : two.before) away.push_back(y - two.middle_before);
    for (const double y : two.after) away.push_back(y - two.middle_after);
    two.spread = std::max(stats::spread(away), LevelWatchRules{}.least_spread);
    return two;
}

/// Where the new level can have begun: every start within some nats of the likeliest.
void place(PastChange& change, const Measured& nights, const Neighbours& two, std::size_t cut) {
    const std::size_t from = cut - std::min(two.before.size(), moved_at_most + 1) + 1;
    const std::size_t to = cut + std::min(two.after.size(), moved_at_most + 1) - 1;
    std::vector<double> gain(to - from + 1);  // of a start at from + i, against one at `from`
    for (std::size_t i = from; i < to; ++i) {
        const double y = nights.level[i];
        gain[i + 1 - from] = gain[i - from] + log_heavy((y - two.middle_before) / two.spread) -
                             log_heavy((y - two.middle_after) / two.spread);
    }
    const auto likeliest = std::max_element(gain.begin(), gain.end());
    std::size_t earliest = gain.size();
    std::size_t latest = 0;
    for (std::size_t i = 0; i < gain.size(); ++i) {
        if (gain[i] < *likeliest - plausible_nats) continue;
        earliest = std::min(earliest, i);
        latest = i;
    }
    change.first = nights.position[from + static_cast<std::size_t>(likeliest - gain.begin())];
    change.earliest = nights.position[from + earliest];
    change.latest = nights.position[from + latest];
}

PastChange change_of(
    const Measured& nights, const Neighbours& two, std::size_t cut, const Levels& levels) {
    PastChange change;
    place(change, nights, two, cut);
    const double step = two.middle_after - two.middle_before;
    const double error = two.spread * levels.stretch *
                         std::sqrt(
                             stats::median_variance / static_cast<double>(two.before.size()) +
                             stats::median_variance / static_cast<double>(two.after.size()));
    change.worse = step > 0;
    change.before = nights.scale.value_of(two.middle_before);
    change.after = nights.scale.value_of(two.middle_after);
    const bool logarithmic = nights.scale.is_logarithmic();
    const double size = logarithmic ? 1 : std::abs(change.before) / nights.scale.unit();
    const auto ratio = [&](double by) {
        if (logarithmic) return std::expm1(by);
        if (size > 1e-9) return by / size;
        return by > 0 ? from_zero : by;
    };
    change.change_ratio = ratio(step);
    change.low = ratio(step - stats::normal_95 * error);
    change.high = ratio(step + stats::normal_95 * error);
    change.errors = std::abs(step) / error;
    change.certain = !levels.wandering && change.errors >= surely_apart &&
                     std::abs(change.change_ratio) >= least_certain;
    return change;
}

}  // namespace

std::vector<PastChange> find_past_changes(std::span<const double> values, Direction direction) {
    const Levels levels = cut_into_levels(values);
    std::vector<PastChange> changes;
    if (levels.starts.empty()) return changes;
    const Measured nights = measured_of(values, direction);
    std::vector<std::size_t> cuts{0};
    for (const std::size_t start : levels.starts) {
        const auto at = std::lower_bound(nights.position.begin(), nights.position.end(), start);
        cuts.push_back(static_cast<std::size_t>(at - nights.position.begin()));
    }
    cuts.push_back(nights.position.size());
    for (std::size_t i = 1; i + 1 < cuts.size(); ++i) {
        const Neighbours two =
            neighbours_of(nights, cuts[i - 1], cuts[i], cuts[i + 1], levels.wandering);
        changes.push_back(change_of(nights, two, cuts[i], levels));
    }
    return changes;
}

}  // namespace vigil::trend
