#include "bisect/trend/level_watch.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/stats/summary.hpp"

namespace vigil::trend {

namespace {

constexpr std::size_t located_nights = 16;  // the first night is sought in so many newest ones
constexpr double first_within = 0.5;        // nats: the last start that is nearly the best
constexpr double plausible_within = 2;      // nats
constexpr std::size_t few_not_positive = 3;
constexpr double interval_width = 1.645;  // 90 %
constexpr double median_variance = 1.57;  // of a median, in variances of a mean

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

bool counts_for_suspicion(std::size_t nights) {
    return nights <= 4 || nights == 6;
}

template <class T>
void drop_front(std::vector<T>& values, std::size_t count) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

LevelWatch::LevelWatch(Direction direction, WatchRules rules) : rules_(rules), scale_(direction) {}

NightFinding LevelWatch::append(double value) {
    const std::size_t night = next_night_++;
    if (!std::isfinite(value)) return {};
    forget_old();
    kept_.night.push_back(night);
    remember(value);
    // What the unit was taken from may have been a few first values of another size.
    if (kept_.size() - kept_.begin == static_cast<std::size_t>(rules_.least_level)) rescale();
    return judge();
}

void LevelWatch::start_level() {
    close_level(kept_.size());
}

void LevelWatch::refute_last_night() {
    kept_.refuted = kept_.size();
}

void LevelWatch::remember(double value) {
    kept_.raw.push_back(value);
    kept_.residual.push_back(0);
    kept_.after_border.push_back(kept_.size() == 0 || kept_.begin == kept_.size() ? 1 : 0);
    if (scale_.is_logarithmic()) {
        std::size_t positive = 0;
        double smallest = 0;
        for (const double v : kept_.raw) {
            if (!(v > 0)) continue;
            smallest = positive == 0 ? v : std::min(smallest, v);
            ++positive;
        }
        const std::size_t other = kept_.raw.size() - positive;
        if (positive == 0 || other > std::max(few_not_positive, positive / 8)) {
            scale_.use_shares_of(kept_.raw);
            kept_.level.assign(kept_.raw.size(), 0);
            std::fill(kept_.residual.begin(), kept_.residual.end(), 0);
            kept_.begin = 0;
            for (std::size_t i = 0; i < kept_.raw.size(); ++i) {
                kept_.level[i] = scale_.level_of(kept_.raw[i]);
            }
            return;
        }
        scale_.set_smallest(smallest);
    }
    kept_.level.push_back(scale_.level_of(value));
}

void LevelWatch::forget_old() {
    const auto most = static_cast<std::size_t>(rules_.kept);
    if (kept_.size() <= most) return;
    const std::size_t old = kept_.size() - most;
    drop_front(kept_.raw, old);
    drop_front(kept_.level, old);
    drop_front(kept_.residual, old);
    drop_front(kept_.after_border, old);
    drop_front(kept_.night, old);
    kept_.begin -= std::min(old, kept_.begin);
    kept_.refuted -= std::min(old, kept_.refuted);
    kept_.after_border.front() = 1;
}

/// A new level can be of another size: shares are of the new one's values.
void LevelWatch::rescale() {
    if (scale_.is_logarithmic()) return;
    const double old = scale_.unit();
    scale_.use_shares_of(std::span(kept_.raw).subspan(kept_.begin));
    const double factor = old / scale_.unit();
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        kept_.level[i] = scale_.level_of(kept_.raw[i]);
        kept_.residual[i] *= factor;
    }
}

NightFinding LevelWatch::judge() {
    NightFinding finding;
    const std::size_t end = kept_.size();
    const std::size_t level = end - kept_.begin;
    const auto fewest = static_cast<std::size_t>(rules_.least_suspicion);
    if (level <= fewest) return finding;
    const double least = std::log1p(rules_.least_ratio);
    const std::size_t most =
        std::min({static_cast<std::size_t>(rules_.newest), level - fewest, end - kept_.refuted});
    SlidingMedian middle(kept_.level, kept_.begin, end - most, rules_.level_nights);
    Best best;
    for (std::size_t count = most; count >= 1; --count, middle.extend()) {
        const std::span newest(kept_.level.data() + (end - count), count);
        const double m = middle.median();
        const double step = stats::median(newest) - m;
        const double mean_step = stats::mean(newest) - m;
        if (std::abs(step) < least && !(count == 2 && mean_step >= least)) continue;
        const Background before = background_before(kept_, end - count, m, middle.count(), rules_);
        if (counts_for_suspicion(count)) {
            const double score = shape_score(before, newest, rules_);
            if (score > finding.suspicion) {
                finding.suspicion = score;
                const Place place = place_of(before, count < 3 ? mean_step : step);
                finding.since = Since{
                    kept_.night[place.first],
                    kept_.night[place.earliest],
                    kept_.night[place.latest]};
            }
        }
        if (count < 2 || before.nights < rules_.least_level) continue;
        const double sign = step > 0 ? 1 : -1;
        const Contest result = contest(before, newest, sign, rules_);
        if (best.count == 0 || result.margin >= best.contest.margin) {
            best = {result, before, sign, count};
        }
    }
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

LevelWatch::Place LevelWatch::place_of(const Background& before, double step) const {
    const std::size_t end = kept_.size();
    const std::size_t from =
        std::max({kept_.begin, kept_.refuted, end - std::min(end, located_nights)});
    std::array<double, located_nights> gain{};  // of a level that starts at from + i
    double sum = 0;
    double most = -1e300;
    for (std::size_t i = end; i-- > from;) {
        const double r = kept_.level[i] - before.middle;
        sum += log_heavy((r - step) / before.spread) - log_heavy(r / before.spread);
        gain[i - from] = sum;
        most = std::max(most, sum);
    }
    Place place{from, end, from};
    for (std::size_t i = from; i < end; ++i) {
        if (gain[i - from] >= most - first_within) place.first = i;
        if (gain[i - from] < most - plausible_within) continue;
        place.earliest = std::min(place.earliest, i);
        place.latest = i;
    }
    return place;
}

Change LevelWatch::take_change(const Best& best) {
    const Background& before = best.before;
    const std::size_t end = kept_.size();
    const auto [first, earliest, latest] = place_of(before, best.sign * best.contest.step);
    Change change;
    change.night = kept_.night.back();
    change.first = kept_.night[first];
    change.earliest = kept_.night[earliest];
    change.latest = kept_.night[latest];
    change.worse = best.sign > 0;
    change.margin = best.contest.margin;
    const double after = stats::median(std::span(kept_.level).subspan(first));
    change.before = scale_.value_of(before.middle);
    change.after = scale_.value_of(after);
    const double error =
        interval_width * before.spread *
        std::sqrt(
            median_variance / before.nights + median_variance / static_cast<double>(end - first));
    const double size = scale_.is_logarithmic() ? 1 : std::abs(change.before) / scale_.unit();
    const auto ratio = [&](double by) {
        if (scale_.is_logarithmic()) return std::expm1(by);
        return size > 1e-9 ? by / size : by;
    };
    change.change_ratio = ratio(after - before.middle);
    change.low = ratio(after - before.middle - error);
    change.high = ratio(after - before.middle + error);
    close_level(first);
    rescale();
    return change;
}

void LevelWatch::close_level(std::size_t first) {
    if (first > kept_.begin) {
        const std::span level(kept_.level.data() + kept_.begin, first - kept_.begin);
        const double middle = stats::median(level);
        for (std::size_t i = kept_.begin; i < first; ++i) {
            kept_.residual[i] = kept_.level[i] - middle;
        }
    }
    kept_.begin = first;
    if (first < kept_.size()) kept_.after_border[first] = 1;
}

}  // namespace vigil::trend
