#include "bisect/trend/rivals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "bisect/stats/summary.hpp"

namespace vigil::trend {

namespace {

constexpr std::size_t most_nights = 16;

/// The supposed new level relative to the old one, up in the direction looked at.
struct Steps {
    std::array<double, most_nights> values{};
    std::size_t count = 0;

    std::span<const double> span() const { return {values.data(), count}; }
};

double low_median(std::span<const double> values) {
    std::array<double, most_nights> sorted{};
    std::copy(values.begin(), values.end(), sorted.begin());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(
        sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(values.size()));
    return *middle;
}

/// How well the step, and the two rivals made of the same heavy noise, explain the nights.
struct Likelihoods {
    double step = 0;
    double same_level = 0;
    double volatile_spell = 0;
};

Likelihoods likelihoods(const Background& before, const Steps& steps, double step) {
    const double spread = before.spread;
    const double nights = static_cast<double>(steps.count);
    // The level may wander a little by itself: a share of the noise, its own error, 1.5 %.
    const double wander = 0.15 * 0.15 * spread * spread +
                          stats::median_variance * spread * spread / before.nights + 0.015 * 0.015;
    const double shrunk = step * wander / (wander + spread * spread / nights);
    double squares = 0;
    for (const double q : steps.span()) squares += q * q;
    const double wider = std::max(std::sqrt(squares / nights) / spread, 1.0);
    Likelihoods l;
    double flat = 0;
    double wandered = -shrunk * shrunk / (2 * wander);
    for (const double q : steps.span()) {
        l.step += log_heavy((q - step) / spread);
        flat += log_heavy(q / spread);
        wandered += log_heavy((q - shrunk) / spread);
        l.volatile_spell += log_heavy(q / (wider * spread)) - std::log(wider);
    }
    l.same_level = std::max(flat, wandered);
    return l;
}

/// The best that wider noise does which began up to some nights before the step, against the noise
/// known so far in those nights.
double earlier_spell(const Background& before, const Steps& steps, const LevelWatchRules& rules) {
    static constexpr std::array widths{1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0};
    const double spread = before.spread;
    const std::size_t nights =
        std::min(static_cast<std::size_t>(rules.spell_nights), before.level_nights);
    double best = -1e300;
    for (const double width : widths) {
        const double price = std::log(width);
        double sum = 0;
        for (const double q : steps.span()) sum += log_heavy(q / (width * spread)) - price;
        for (std::size_t i = 1; i <= nights; ++i) {
            const double r = before.residuals[before.residuals.size() - i] / spread;
            sum += log_heavy(r / width) - price - log_heavy(r);
            best = std::max(best, sum);
        }
    }
    return best;
}

double rank_score(const Background& before, const Steps& steps, double sign) {
    const double all = static_cast<double>(before.residuals.size()) + 1;
    double highest = -1e300;
    for (const double r : before.residuals) highest = std::max(highest, sign * r);
    double score = 0;
    for (const double q : steps.span()) {
        const double bar = q - before.spread / 2;
        int as_high = 0;
        for (const double r : before.residuals) as_high += sign * r >= bar ? 1 : 0;
        score += std::log(all / (as_high + 1));
        if (as_high == 0) {
            const double above = std::max(0.0, (q - highest) / before.spread);
            score += std::log1p(0.3 * above) / 0.3;
        }
    }
    return score;
}

/// The largest lower median of as many successive nights before.
double largest_burst(const Background& before, std::size_t count, double sign) {
    double largest = -1e300;
    std::array<double, most_nights> window{};
    for (std::size_t i = 0; i + count <= before.residuals.size(); ++i) {
        for (std::size_t j = 0; j < count; ++j) window[j] = sign * before.residuals[i + j];
        largest = std::max(largest, low_median({window.data(), count}));
    }
    return largest;
}

double density_gain(
    const Background& before,
    const Steps& steps,
    double step,
    double sign,
    const LevelWatchRules& r) {
    double gain = 0;
    for (const double q : steps.span()) {
        gain += before.log_density(q - step, sign, r) - before.log_density(q, sign, r);
    }
    return gain;
}

bool two_agree(
    const Background& before, const Steps& steps, double step, const LevelWatchRules& rules) {
    const double apart = std::abs(steps.values[1] - steps.values[0]);
    if (apart <= std::max(rules.two_apart * before.spread, 0.15 * step)) return true;
    const double least = std::log1p(rules.least_ratio);
    return before.largest <= 0.02 && std::min(steps.values[0], steps.values[1]) >= least;
}

/// What the step of so many nights must have over the series' own noise.
double own_noise_margin(std::size_t nights, double step, const LevelWatchRules& rules) {
    if (nights > 2) {
        return rules.own_noise - (static_cast<double>(nights) - 3) * rules.own_noise_a_night;
    }
    return rules.own_noise_two + rules.large_step_price * std::max(0.0, step - rules.large_step);
}

Steps relative(const Background& before, std::span<const double> nights, double sign) {
    Steps steps;
    steps.count = std::min(nights.size(), most_nights);
    for (std::size_t i = 0; i < steps.count; ++i) {
        steps.values[i] = sign * (nights[i] - before.middle);
    }
    return steps;
}

/// The step of these nights, when it is large enough to be looked at.
std::optional<double> step_of(
    const Background& before, const Steps& steps, const LevelWatchRules& rules) {
    const double step = stats::median(steps.span());
    const double error = before.spread / std::sqrt(static_cast<double>(steps.count));
    if (step < std::log1p(rules.least_ratio) || step <= 2 * error) return std::nullopt;
    return step;
}

/// Meets the rivals, the dear ones last, until `meet(rival, statistic, needed)` says no.
template <class Meet>
void meet_rivals(
    const Background& before,
    const Steps& steps,
    double step,
    double sign,
    const LevelWatchRules& rules,
    Meet meet) {
    const bool two = steps.count == 2;
    const double further = static_cast<double>(steps.count) - 3;
    const double independent = (1 - before.correlation) / (1 + before.correlation);
    const double weight = std::pow(independent, two ? rules.resemblance_two : rules.resemblance);
    const Likelihoods l = likelihoods(before, steps, step);
    (void)(meet(Rival::same_level, l.step - l.same_level,
               rules.same_level - further * rules.same_level_a_night) &&
           meet(Rival::volatile_spell, l.step - l.volatile_spell, rules.volatile_spell) &&
           meet(
               Rival::volatile_spell,
               l.step - earlier_spell(before, steps, rules),
               rules.earlier_spell) &&
           meet(
               Rival::rank,
               rank_score(before, steps, sign),
               two ? rules.rank_two : rules.rank) &&
           meet(
               Rival::own_noise,
               weight * density_gain(before, steps, step, sign, rules),
               own_noise_margin(steps.count, step, rules)) &&
           meet(
               Rival::burst,
               (low_median(steps.span()) - largest_burst(before, steps.count, sign)) /
                   before.spread,
               rules.burst));
}

}  // namespace

Contest contest(
    const Background& before,
    std::span<const double> nights,
    double sign,
    const LevelWatchRules& rules) {
    const Steps steps = relative(before, nights, sign);
    Contest result;
    const auto step = step_of(before, steps, rules);
    result.step = step.value_or(stats::median(steps.span()));
    if (!step) return result;
    if (steps.count == 2 && !two_agree(before, steps, *step, rules)) {
        result.rival = Rival::disagreement;
        return result;
    }
    result.margin = 1e300;
    meet_rivals(
        before, steps, *step, sign, rules, [&](Rival rival, double statistic, double needed) {
            if (statistic - needed < result.margin) {
                result = {*step, statistic - needed, rival};
            }
            return result.margin > 0;  // once the step is beaten, no other rival is needed
        });
    return result;
}

std::vector<Duel> list_duels(
    const Background& before,
    std::span<const double> nights,
    double sign,
    const LevelWatchRules& rules) {
    const Steps steps = relative(before, nights, sign);
    std::vector<Duel> duels;
    const auto step = step_of(before, steps, rules);
    if (!step) return duels;
    if (steps.count == 2) {
        const bool agree = two_agree(before, steps, *step, rules);
        duels.push_back({Rival::disagreement, agree ? 1.0 : -1.0, 0});
    }
    meet_rivals(
        before, steps, *step, sign, rules, [&](Rival rival, double statistic, double needed) {
            duels.push_back({rival, statistic, needed});
            return true;
        });
    return duels;
}

double shape_score(
    const Background& before, std::span<const double> nights, const LevelWatchRules& rules) {
    const Steps steps = relative(before, nights, 1);
    const double step = steps.count < 3 ? stats::mean(steps.span()) : stats::median(steps.span());
    if (step < std::log1p(rules.least_ratio)) return 0;
    return std::max(0.0, density_gain(before, steps, step, 1, rules));
}

}  // namespace vigil::trend
