#include "bisect/detect/trigger.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr std::size_t nights_of_baseline = 14;
constexpr std::size_t nights_of_noise = 28;
constexpr std::size_t nights_fresh = 4;      // too new to know what is usual
constexpr double highest_bar = 1.25;         // of the threshold: more noise than that drowns it
constexpr std::size_t nights_explained = 8;  // so long the last session explains

double baseline_of(std::span<const SeriesNight> nights, std::span<const double> levels) {
    std::vector<double> good;
    for (std::size_t i = levels.size(); i-- > 0 && good.size() < nights_of_baseline;) {
        if (nights[i].good) good.push_back(levels[i]);
    }
    return good.empty() ? stats::median(levels) : stats::median(good);
}

/// What this series reaches by itself, now and then, is no news.
double bar_above(
    std::span<const double> levels, const SeriesNoise& noise, const TriggerRules& rules) {
    const double tau = std::log1p(rules.threshold);
    const double least =
        std::clamp(rules.noise_factor * noise.night, rules.lowest_bar * tau, highest_bar * tau);
    if (levels.size() < nights_of_noise) return std::max(least, 0.7 * tau);
    const auto recent = levels.last(nights_of_noise);
    const double middle = stats::median(recent);
    std::vector<double> away;
    for (const double level : recent.first(nights_of_noise - nights_fresh + 1)) {
        away.push_back(level - middle);
    }
    std::sort(away.begin(), away.end(), std::greater<>());
    return std::clamp(away[2], least, highest_bar * tau);
}

bool opens(bool by_level, bool by_shape, const TriggerRules& rules) {
    switch (rules.opened_by) {
        case OpenedBy::level: return by_level;
        case OpenedBy::shape: return by_shape;
        case OpenedBy::either: return by_level || by_shape;
        case OpenedBy::both: return by_level && by_shape;
    }
    return by_level;
}

std::vector<std::size_t> choose_old(
    std::span<const SeriesNight> nights,
    std::span<const double> levels,
    const Trigger& trigger,
    const TriggerRules& rules) {
    const double tau = std::log1p(rules.threshold);
    const std::size_t tonight = nights.size() - 1;
    // Where nights vary, a step may hide for some; where they do not, its first part would show.
    const bool varies = trigger.noise.night > tau / 6 || trigger.bar > 0.8 * tau;
    const std::size_t age = varies ? nights_fresh : 1;
    const double still_usual = varies ? tau / 2 : tau / 4;
    std::vector<std::size_t> chosen;
    for (std::size_t i = tonight; i-- > 0 && chosen.size() < rules.old_builds;) {
        if (tonight - i < age || !nights[i].good) continue;
        if (tonight - i > nights_of_noise && !chosen.empty()) break;
        if (levels[i] - trigger.baseline <= still_usual) chosen.push_back(i);
    }
    if (chosen.empty()) chosen.push_back(tonight >= age ? tonight - age : 0);
    return chosen;
}

}  // namespace

double explained_move(
    std::span<const double> levels,
    double baseline,
    const SeriesNoise& noise,
    const std::optional<LastSession>& last) {
    const double before = levels.empty() ? 0 : levels.back() - baseline;
    const double low_night = std::min(0.0, noise.memory * before);
    if (!last || levels.size() < last->night) return low_night;
    const std::size_t nights = levels.size() - last->night;
    if (nights > nights_explained) return low_night;
    const auto since = levels.subspan(std::min(last->night + 1, levels.size()));
    const auto went_back = [&](double to) {
        return std::any_of(
            since.begin(), since.end(), [&](double level) { return level < baseline + to; });
    };
    const auto k = static_cast<double>(nights);
    double sum = 0;
    if (last->moved > 0) {
        const bool stayed = last->environment && !went_back(last->moved / 2);
        const double left = std::pow(stayed ? std::max(0.9, noise.memory) : noise.memory, k);
        sum += last->moved * left;
    }
    if (last->change > 0) {
        // Back again: it was that build, not its source; others of its kind may come.
        const double share = went_back(last->change / 2) ? 0.85 : 1;
        sum += share * last->change * std::pow(0.9, k);
    }
    return sum > 0 ? sum : low_night;
}

Trigger judge_trigger(
    std::span<const SeriesNight> nights,
    const std::optional<LastSession>& last,
    const TriggerRules& rules,
    double score) {
    VIGIL_ASSERT(nights.size() >= 2);
    const auto earlier = nights.first(nights.size() - 1);
    std::vector<std::vector<double>> runs;
    for (const auto& night : earlier) runs.push_back(night.runs);
    const RunNoise run = learn_run_noise(runs);
    std::vector<double> levels;
    for (const auto& night : earlier) levels.push_back(level_of(night.runs, run));

    Trigger trigger;
    trigger.noise = learn_series_noise(levels, run);
    trigger.baseline = baseline_of(earlier, levels);
    trigger.moved = level_of(nights.back().runs, run) - trigger.baseline;
    trigger.expected = explained_move(levels, trigger.baseline, trigger.noise, last);
    trigger.bar = bar_above(levels, trigger.noise, rules);
    trigger.score = score;
    const double news = trigger.moved - trigger.expected;
    // Builds differ a little without a change of source: what a session has just told is not asked
    // again of every build that follows, or one of them is filed in the end.
    const bool by_shape = score >= rules.shape_bar && news > rules.shape_news * trigger.bar;
    const bool asked = last && last->night + 1 >= levels.size();
    const bool by_two = !asked && rules.opened_by != OpenedBy::both &&
                        two_nights_exceed(
                            {.tonight = news,
                             .before = levels.back() - trigger.baseline,
                             .bar = trigger.bar,
                             .memory = trigger.noise.memory},
                            rules.two_nights);
    trigger.suspicious = opens(news > trigger.bar || by_two, by_shape, rules);
    trigger.old_nights = choose_old(nights, levels, trigger, rules);
    trigger.reason = fmt::format(
        "{:+.2f} % against the usual level, of which {:+.2f} % was expected; suspicious above "
        "{:+.2f} %",
        100 * std::expm1(trigger.moved),
        100 * std::expm1(trigger.expected),
        100 * std::expm1(trigger.bar));
    return trigger;
}

}  // namespace vigil::detect
