#include "bisect/detect/bar.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

double median_level(std::span<const SeriesNight> nights) {
    std::vector<double> levels;
    levels.reserve(nights.size());
    for (const auto& night : nights) levels.push_back(night.level);
    return stats::median(levels);
}

double baseline_of(std::span<const SeriesNight> nights) {
    std::vector<double> good;
    good.reserve(rule.baseline_nights);
    for (std::size_t i = nights.size(); i-- > 0 && good.size() < rule.baseline_nights;) {
        if (nights[i].good) good.push_back(nights[i].level);
    }
    return good.empty() ? median_level(nights) : stats::median(good);
}

/// How far each of the newest nights lies from the median of its own level, oldest first. Levels of
/// a few nights tell nothing of it, unless there is no other.
std::vector<double> away_from_levels(std::span<const SeriesNight> nights) {
    const auto recent = nights.last(std::min(nights.size(), rule.noise_nights));
    std::vector<double> away;
    away.reserve(recent.size());
    for (std::size_t from = 0, to = 0; from < recent.size(); from = to) {
        while (to < recent.size() && recent[to].era == recent[from].era) ++to;
        const bool alone = to - from == recent.size();
        if (to - from < rule.nights_of_a_level && !alone) continue;
        const double middle = median_level(recent.subspan(from, to - from));
        for (const auto& night : recent.subspan(from, to - from)) {
            away.push_back(night.level - middle);
        }
    }
    return away;
}

/// A baseline of few nights scatters too: how much more so than a whole one.
double young_factor(std::size_t nights) {
    const auto variance = [](std::size_t n) {
        return 1 + stats::median_variance / static_cast<double>(n);
    };
    return std::sqrt(
        variance(std::min(nights, rule.baseline_nights)) / variance(rule.baseline_nights));
}

/// What this series reaches by itself, now and then, is no news.
/// @param young  young_factor of its baseline
double bar_above(
    const std::vector<double>& away,
    const SeriesNoise& noise,
    double young,
    const BarRules& rules) {
    const double tau = std::log1p(rules.threshold);
    const double least = std::clamp(
        young * rules.night_spreads * noise.night, rules.lowest_bar * tau, rule.highest_bar * tau);
    if (away.size() < rule.nights_of_a_level) return std::max(least, tau);
    if (away.size() < rule.noise_nights) return std::max(least, rule.young_bar * tau);
    std::vector<double> settled(away.begin(), away.end() - rule.fresh_nights + 1);
    const auto rank = settled.begin() + static_cast<std::ptrdiff_t>(rule.bar_rank) - 1;
    std::nth_element(settled.begin(), rank, settled.end(), std::greater<>());
    return std::clamp(young * (*rank - noise.middle), least, rule.highest_bar * tau);
}

bool opens(bool by_level, bool by_shape, const BarRules& rules) {
    switch (rules.opened_by) {
        case OpenedBy::level: return by_level;
        case OpenedBy::shape: return by_shape;
        case OpenedBy::either: return by_level || by_shape;
        case OpenedBy::both: return by_level && by_shape;
    }
    return by_level;
}

/// How much of tonight's deviation earlier nights and the last session explain; below 0 where the
/// bar is lower than usual.
double explained_move(
    std::span<const SeriesNight> nights,
    double baseline,
    const SeriesNoise& noise,
    const std::optional<LastSession>& last) {
    const double low_night = std::min(0.0, noise.memory * (nights.back().level - baseline));
    if (!last) return low_night;
    const std::size_t since = nights_after(nights, last->night);
    if (since >= rule.told_nights) return low_night;
    const auto later = nights.last(since);
    const auto went_back = [&](double to) {
        return std::any_of(later.begin(), later.end(), [&](const SeriesNight& night) {
            return night.level < baseline + to;
        });
    };
    const auto k = static_cast<double>(since + 1);
    double sum = 0;
    if (last->moved > 0) {
        const bool stayed = last->environment && !went_back(last->moved / 2);
        const double left =
            std::pow(stayed ? std::max(rule.machine_stays, noise.memory) : noise.memory, k);
        sum += last->moved * left;
    }
    if (last->change > 0) {
        // Back again: it was that build, not its source; others of its kind may come.
        const double share = went_back(last->change / 2) ? rule.gone_back : 1;
        sum += share * last->change * std::pow(rule.change_stays, k);
    }
    return sum > 0 ? sum : low_night;
}

/// Where nights are mostly 0, every other value is far off: it is news only where no night of late
/// was as high.
/// @param before  nights of all levels, of which those that were mostly 0 count, and one night
///                between two of these
bool is_more_than_from_zero(
    const SeriesNight& tonight, double baseline, std::span<const SeriesNight> before) {
    if (value_of_log(baseline) != 0) return true;
    const auto recent = before.last(std::min(before.size(), rule.noise_nights));
    const auto is_as_high = [&](const SeriesNight& night) { return night.level >= tonight.level; };
    bool was_zero = false;
    bool shown_once = false;  // by one night behind a level of 0
    for (std::size_t from = 0, to = 0; from < recent.size(); from = to) {
        while (to < recent.size() && recent[to].era == recent[from].era) ++to;
        const auto level = recent.subspan(from, to - from);
        const bool is_zero = value_of_log(median_level(level)) == 0;
        const bool shown = std::ranges::any_of(level, is_as_high);
        if (is_zero && (shown || shown_once)) return false;
        shown_once = was_zero && shown && level.size() == 1;
        was_zero = is_zero;
    }
    return true;
}

}  // namespace

RunNoise run_noise_of(std::span<const SeriesNight> nights) {
    std::vector<RunScatter> scatter;
    scatter.reserve(rule.noise_nights);
    for (const auto& night : nights.last(std::min(nights.size(), rule.noise_nights))) {
        scatter.push_back(night.scatter);
    }
    return learn_run_noise(scatter);
}

std::span<const SeriesNight> newest_level(std::span<const SeriesNight> nights) {
    std::size_t begin = nights.size();
    while (begin > 0 && nights[begin - 1].era == nights.back().era) --begin;
    return nights.subspan(begin);
}

std::size_t nights_after(std::span<const SeriesNight> nights, std::int64_t id) {
    const auto later = std::upper_bound(
        nights.begin(), nights.end(), id, [](std::int64_t a, const SeriesNight& b) {
            return a < b.id;
        });
    return static_cast<std::size_t>(nights.end() - later);
}

BarCheck check_bar(
    std::span<const SeriesNight> nights,
    const RunNoise& run,
    const std::optional<LastSession>& last,
    const BarRules& rules,
    double score) {
    const auto level = newest_level(nights);
    VIGIL_ASSERT(level.size() >= 2);
    const auto earlier = level.first(level.size() - 1);
    const auto away = away_from_levels(nights.first(nights.size() - 1));

    BarCheck bar_check;
    bar_check.noise = learn_series_noise(away, run);
    bar_check.baseline = baseline_of(earlier);
    bar_check.moved = nights.back().level - bar_check.baseline;
    bar_check.expected = explained_move(earlier, bar_check.baseline, bar_check.noise, last);
    bar_check.bar = bar_above(away, bar_check.noise, young_factor(earlier.size()), rules);
    bar_check.score = score;
    const double news = bar_check.moved - bar_check.expected;
    // Builds differ a little without a change of source: what a session has just told is not asked
    // again of every build that follows, or one of them is filed in the end.
    const bool is_new =
        is_more_than_from_zero(nights.back(), bar_check.baseline, nights.first(nights.size() - 1));
    // One night is no step where others were as high.
    const bool is_step = is_new || value_of_log(earlier.back().level) != 0;
    const bool by_shape =
        is_step && score >= rules.shape_bar && news > rule.shape_news * bar_check.bar;
    const bool by_level = is_new && news > bar_check.bar;
    const bool asked = last && last->night >= earlier.back().id;
    const bool is_zero = value_of_log(bar_check.baseline) == 0;
    bar_check.by_two = !by_level && !asked && !is_zero && rules.opened_by != OpenedBy::both &&
                       two_nights_exceed(
                           {.tonight = news,
                            .before = earlier.back().level - bar_check.baseline,
                            .bar = bar_check.bar,
                            .memory = bar_check.noise.memory},
                           rules.two_nights);
    bar_check.suspicious = opens(by_level || bar_check.by_two, by_shape, rules);
    return bar_check;
}

std::vector<std::int64_t> choose_old_nights(
    std::span<const SeriesNight> level, const BarCheck& bar_check, double threshold) {
    const double tau = std::log1p(threshold);
    const std::size_t tonight = level.size() - 1;
    // Where nights vary, a step may hide for some; where they do not, its first part would show.
    const bool varies =
        bar_check.noise.night > tau / rule.varying_by || bar_check.bar > rule.varying_bar * tau;
    const std::size_t age = varies ? rule.fresh_nights : 1;
    const double still_usual = varies ? tau / rule.usual_by : tau / rule.usual_if_calm_by;
    std::vector<std::int64_t> chosen;
    for (std::size_t i = tonight; i-- > 0 && chosen.size() < rule.old_builds;) {
        if (tonight - i < age || !level[i].good) continue;
        if (tonight - i > rule.noise_nights && !chosen.empty()) break;
        if (level[i].level - bar_check.baseline <= still_usual) chosen.push_back(level[i].id);
    }
    if (chosen.empty()) chosen.push_back(level[tonight >= age ? tonight - age : 0].id);
    return chosen;
}

std::string reason_of(const BarCheck& bar_check) {
    const double moved = change_of_log(bar_check.moved);
    const double expected = 100 * std::expm1(bar_check.expected);
    const bool is_zero = std::abs(expected) < 0.005;  // as it would be printed
    return fmt::format(
        "{} against the usual level{}; suspicious above {:+.2f} %",
        std::isinf(moved) ? "up from 0" : fmt::format("{:+.2f} %", 100 * moved),
        is_zero ? "" : fmt::format(", of which {:+.2f} % was expected", expected),
        100 * std::expm1(bar_check.bar));
}

}  // namespace vigil::detect
