#include "bisect/trend/level_watch.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::trend {

namespace {

constexpr std::size_t located_nights = 16;  // the first night is sought in so many newest ones
constexpr double first_within = 0.5;        // nats: the last start that is nearly the best
constexpr double plausible_within = 2;      // nats
constexpr std::size_t few_not_positive = 3;

/// The medians of the level before each supposed start, from the earliest start to the latest:
/// a sorted window that takes one night in and lets one out.
class SlidingMedian {
  public:
    SlidingMedian(std::span<const double> levels, std::size_t begin, std::size_t end, int longest)
        : levels_(levels), begin_(begin), end_(begin), longest_(static_cast<std::size_t>(longest)) {
        begin_ = std::max(begin_, end > longest_ ? end - longest_ : 0);
        end_ = end;
        sorted_.assign(
            levels.begin() + static_cast<std::ptrdiff_t>(begin_),
            levels.begin() + static_cast<std::ptrdiff_t>(end));
        std::sort(sorted_.begin(), sorted_.end());
    }

    void extend() {
        const double in = levels_[end_++];
        sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), in), in);
        if (sorted_.size() > longest_) {
            const double out = levels_[begin_++];
            sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), out));
        }
    }

    double median() const {
        const std::size_t n = sorted_.size();
        return n % 2 == 1 ? sorted_[n / 2] : (sorted_[n / 2 - 1] + sorted_[n / 2]) / 2;
    }
    int count() const { return static_cast<int>(sorted_.size()); }

  private:
    std::span<const double> levels_;
    std::size_t begin_;
    std::size_t end_;
    std::size_t longest_;
    std::vector<double> sorted_;
};

/// Whether none of the newest nights can lie `least` away from the median of the level, whichever
/// of them are part of it: so many of its nights lie so near to all of them.
/// @param level  before the newest nights
bool is_calm(std::span<const double> level, std::span<const double> newest, double least) {
    if (newest.empty()) return true;
    const auto [low, high] = std::ranges::minmax(newest);
    std::size_t below = 0;
    std::size_t above = 0;
    for (const double value : level) {
        below += value < low + least ? 1 : 0;
        above += value > high - least ? 1 : 0;
    }
    // Each newest night that joins the level may push an old one out of it.
    return std::min(below, above) > level.size() / 2 + 2 * newest.size();
}

template <class T>
void drop_front(std::vector<T>& values, std::size_t count) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

LevelWatch::LevelWatch(Direction direction, LevelWatchRules rules)
    : rules_(rules), state_(direction) {}

LevelWatch::LevelWatch(LevelState state, LevelWatchRules rules)
    : rules_(rules), state_(std::move(state)) {}

NightFinding LevelWatch::append(double value) {
    if (!std::isfinite(value)) {
        ++state_.next_night;
        return {};
    }
    take(value);
    return judge();
}

void LevelWatch::take(double value) {
    forget_old();
    state_.kept.night.push_back(state_.next_night++);
    remember(value);
    // What the unit was taken from may have been a few first values of another size.
    if (level_nights() == static_cast<std::size_t>(rules_.least_level)) rescale();
}

void LevelWatch::start_level(std::size_t newest) {
    auto& kept = state_.kept;
    const std::size_t first = kept.size() - std::min(newest, kept.size());
    if (first < kept.begin) {  // its own finding began a level later: that one began earlier
        while (!kept.closed.empty() && kept.closed.back().end > first) kept.closed.pop_back();
        kept.begin = kept.closed.empty() ? 0 : kept.closed.back().end;
        restore_residuals(kept);
    }
    close_level(first);
    if (newest > 0) rescale();
}

void LevelWatch::refute_last_night() {
    state_.kept.refuted = state_.kept.size();
}

void LevelWatch::remember(double value) {
    auto& kept = state_.kept;
    kept.after_border.push_back(kept.size() == 0 || kept.begin == kept.size() ? 1 : 0);
    kept.raw.push_back(value);
    kept.residual.push_back(0);
    if (state_.scale.is_logarithmic() && use_shares()) return;
    kept.level.push_back(state_.scale.level_of(value));
    // Zeros alone tell no unit.
    const auto zeros = std::ranges::count(kept.raw, 0.0);
    if (value != 0 && zeros + 1 == std::ssize(kept.raw)) rescale();
}

/// A series that keeps showing values that have no logarithm is judged in shares from now on.
bool LevelWatch::use_shares() {
    auto& kept = state_.kept;
    std::size_t positive = 0;
    double smallest = 0;
    for (const double v : kept.raw) {
        if (!(v > 0)) continue;
        smallest = positive == 0 ? v : std::min(smallest, v);
        ++positive;
    }
    const std::size_t other = kept.raw.size() - positive;
    if (positive > 0 && other <= std::max(few_not_positive, positive / 8)) {
        state_.scale.set_smallest(smallest);
        return false;
    }
    state_.scale.use_shares_of(kept.raw);
    kept.level.clear();
    for (const double v : kept.raw) kept.level.push_back(state_.scale.level_of(v));
    kept.closed.clear();
    kept.begin = 0;
    restore_residuals(kept);
    return true;
}

void LevelWatch::forget_old() {
    auto& kept = state_.kept;
    const auto most = static_cast<std::size_t>(rules_.kept);
    if (kept.size() <= most) return;
    const std::size_t old = kept.size() - most;
    drop_front(kept.raw, old);
    drop_front(kept.level, old);
    drop_front(kept.residual, old);
    drop_front(kept.after_border, old);
    drop_front(kept.night, old);
    std::erase_if(kept.closed, [&](const ClosedLevel& level) { return level.end <= old; });
    for (auto& level : kept.closed) level.end -= old;
    kept.begin -= std::min(old, kept.begin);
    kept.refuted -= std::min(old, kept.refuted);
    kept.after_border.front() = 1;
}

/// A new level can be of another size: shares are of the new one's values.
void LevelWatch::rescale() {
    if (state_.scale.is_logarithmic()) return;
    auto& kept = state_.kept;
    const double old = state_.scale.unit();
    state_.scale.use_shares_of(std::span(kept.raw).subspan(kept.begin));
    const double factor = old / state_.scale.unit();
    for (auto& level : kept.closed) {
        level.middle = std::clamp(level.middle * factor, -most_level, most_level);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept.level[i] = state_.scale.level_of(kept.raw[i]);
    }
    restore_residuals(kept);
}

NightFinding LevelWatch::judge() {
    NightFinding finding;
    const std::size_t end = state_.kept.size();
    const std::size_t level = end - state_.kept.begin;
    const auto fewest = static_cast<std::size_t>(rules_.least_suspicion);
    if (level <= fewest) return finding;
    const double least = std::log1p(rules_.least_ratio);
    const std::size_t most = std::min(
        {static_cast<std::size_t>(rules_.newest), level - fewest, end - state_.kept.refuted});
    const std::span levels(state_.kept.level);
    const std::size_t longest = static_cast<std::size_t>(rules_.level_nights);
    const std::size_t window = std::min(longest, end - most - state_.kept.begin);
    if (is_calm(levels.subspan(end - most - window, window), levels.last(most), least)) {
        return finding;
    }
    SlidingMedian middle(levels, state_.kept.begin, end - most, rules_.level_nights);
    Best best;
    std::optional<Background> suspected;
    double suspected_step = 0;
    for (std::size_t count = most; count >= 1; --count, middle.extend()) {
        const std::span newest(state_.kept.level.data() + (end - count), count);
        const double m = middle.median();
        const double step = stats::median(newest) - m;
        const double mean_step = stats::mean(newest) - m;
        if (std::abs(step) < least && !(count == 2 && mean_step >= least)) continue;
        Background before = background_before(state_.kept, end - count, m, middle.count(), rules_);
        if (counts_for_suspicion(count)) {
            const double score = shape_score(before, newest, rules_);
            if (score > finding.suspicion) {
                finding.suspicion = score;
                suspected = before;
                suspected_step = count < 3 ? mean_step : step;
            }
        }
        if (count < 2 || before.nights < rules_.least_level) continue;
        const double sign = step > 0 ? 1 : -1;
        const Contest result = contest(before, newest, sign, rules_);
        if (best.count == 0 || result.margin >= best.contest.margin) {
            best = {result, std::move(before), sign, count};
        }
    }
    if (suspected) finding.since = nights_of(beginning_of(*suspected, suspected_step));
    if (best.count == 0) return finding;
    if (best.contest.margin > 0) {
        finding.change = take_change(best);
        return finding;
    }
    finding.waiting_for = best.contest.rival;
    finding.step = best.sign * best.contest.step;
    finding.margin = best.contest.margin;
    return finding;
}

Since LevelWatch::nights_of(const Beginning& beginning) const {
    const auto& night = state_.kept.night;
    return {night[beginning.first], night[beginning.earliest], night[beginning.latest]};
}

LevelWatch::Beginning LevelWatch::beginning_of(const Background& before, double step) const {
    const std::size_t end = state_.kept.size();
    const std::size_t from =
        std::max({state_.kept.begin, state_.kept.refuted, end - std::min(end, located_nights)});
    std::array<double, located_nights> gain{};  // of a level that starts at from + i
    double sum = 0;
    double most = -1e300;
    for (std::size_t i = end; i-- > from;) {
        const double r = state_.kept.level[i] - before.middle;
        sum += before.log_density(r - step, 1, rules_) - before.log_density(r, 1, rules_);
        gain[i - from] = sum;
        most = std::max(most, sum);
    }
    Beginning beginning{from, end, from};
    for (std::size_t i = from; i < end; ++i) {
        if (gain[i - from] >= most - first_within) beginning.first = i;
        if (gain[i - from] < most - plausible_within) continue;
        beginning.earliest = std::min(beginning.earliest, i);
        beginning.latest = i;
    }
    return beginning;
}

Change LevelWatch::take_change(const Best& best) {
    const Background& before = best.before;
    const std::size_t end = state_.kept.size();
    const auto [first, earliest, latest] = beginning_of(before, best.sign * best.contest.step);
    Change change;
    change.night = state_.kept.night.back();
    change.first = state_.kept.night[first];
    change.earliest = state_.kept.night[earliest];
    change.latest = state_.kept.night[latest];
    change.worse = best.sign > 0;
    change.margin = best.contest.margin;
    const double after = stats::median(std::span(state_.kept.level).subspan(first));
    change.before = state_.scale.value_of(before.middle);
    change.after = state_.scale.value_of(after);
    const double error = stats::normal_95 * before.spread *
                         std::sqrt(
                             stats::median_variance / before.nights +
                             stats::median_variance / static_cast<double>(end - first));
    const double size =
        state_.scale.is_logarithmic() ? 1 : std::abs(change.before) / state_.scale.unit();
    const auto ratio = [&](double by) {
        if (state_.scale.is_logarithmic()) return std::expm1(by);
        if (size > 1e-9) return by / size;
        return by > 0 ? from_zero : by;
    };
    change.change_ratio = ratio(after - before.middle);
    change.low = ratio(after - before.middle - error);
    change.high = ratio(after - before.middle + error);
    close_level(first);
    rescale();
    return change;
}

void LevelWatch::close_level(std::size_t first) {
    auto& kept = state_.kept;
    if (first <= kept.begin) return;
    const std::span level(kept.level.data() + kept.begin, first - kept.begin);
    const double middle = stats::median(level);
    for (std::size_t i = kept.begin; i < first; ++i) kept.residual[i] = kept.level[i] - middle;
    kept.closed.push_back({first, middle});
    kept.begin = first;
    if (first < kept.size()) kept.after_border[first] = 1;
}

}  // namespace vigil::trend
