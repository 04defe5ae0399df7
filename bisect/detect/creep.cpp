#include "bisect/detect/creep.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/noise.hpp"
#include "bisect/detect/rules.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr double median_error = 1.25;  // of a median, in errors of a mean

std::string percent_or_zero(double ratio) {
    return std::isinf(ratio) ? "from 0" : fmt::format("{:+.2f} %", 100 * ratio);
}

double tolerance_of(double spread, double tau) {
    return std::clamp(
        rule.tolerated_spreads * spread,
        tau / rule.least_tolerated_by,
        tau / rule.most_tolerated_by);
}

/// The newest night at the base, as its neighbours are; else `fallback`. Rather a night too old
/// than one too new, which would hide a part of the sum.
std::size_t last_at(
    std::span<const double> z,
    std::size_t end,
    double base,
    double tolerance,
    std::size_t fallback) {
    for (std::size_t i = end; i-- > 0;) {
        if (z[i] - base > tolerance) continue;
        const std::size_t from = i == 0 ? 0 : i - 1;
        const std::size_t to = std::min(i + 2, end);
        if (stats::median(z.subspan(from, to - from)) - base <= tolerance / 2) return i;
    }
    return fallback;
}

std::size_t nearest_to(std::span<const double> z, double base) {
    const auto nearest = std::min_element(z.begin(), z.end(), [&](double a, double b) {
        return std::abs(a - base) < std::abs(b - base);
    });
    return static_cast<std::size_t>(nearest - z.begin());
}

/// What the newest nights are held against.
struct Reference {
    double base = 0;
    std::size_t nights = 1;  ///< that it is a median of
    std::string_view name;
};

std::vector<double> all_badness(std::span<const double> values, Direction direction) {
    std::vector<double> z;
    z.reserve(values.size());
    for (const double value : values) z.push_back(badness(value, direction));
    return z;
}

/// @param end  of the nights before the newest ones
Reference reference_of(const CreepInput& input, std::size_t end) {
    Reference reference;
    reference.name = "the oldest nights of its level";
    const auto first = input.level.first(std::min(rule.oldest_nights, end));
    const auto of_level = all_badness(first, input.direction);
    const auto oldest = input.oldest.empty() ? std::span<const double>(of_level) : input.oldest;
    reference.nights = oldest.size();
    reference.base = stats::median(oldest);
    if (input.pinned) {
        const double pinned = badness(*input.pinned, input.direction);
        if (pinned < reference.base) reference = {pinned, 1, "the pinned night"};
    }
    return reference;
}

/// One step that is above the threshold by itself: what came before it is no part of what is asked.
struct Step {
    std::size_t begin = 0;
    double base = 0;
};

std::optional<Step> find_step(std::span<const double> z, std::size_t end, double tau) {
    const std::size_t beside = rule.beside_step;
    std::optional<Step> best;
    double largest = tau;
    const std::size_t from =
        std::max(end > rule.noise_nights ? end - rule.noise_nights : 0, beside);
    for (std::size_t begin = from; begin <= end && begin + beside <= z.size(); ++begin) {
        const double base = stats::median(z.subspan(begin - beside, beside));
        const double step = stats::median(z.subspan(begin, beside)) - base;
        // Nights that climb one by one are no step.
        if (step <= largest || z[begin] - z[begin - 1] < step / rule.step_at_once_by) continue;
        largest = step;
        best = Step{begin, base};
    }
    return best;
}

}  // namespace

std::optional<Creep> find_creep(const CreepInput& input) {
    const std::size_t nights = input.level.size();
    for (const double value : input.level) {
        if (std::isfinite(value) && value >= 0) continue;
        throw Error(Errc::invalid_argument, fmt::format("looking for creep: {} is below 0", value));
    }
    if (nights < rule.creep_nights) return std::nullopt;
    const double tau = std::log1p(input.threshold);
    const std::size_t newest = std::min(rule.newest_nights, nights / 2);
    const std::size_t end = nights - newest;
    auto reference = reference_of(input, end);
    // Most nights end here, by a few logarithms.
    const auto tip = all_badness(input.level.last(newest), input.direction);
    const double sum = stats::median(tip) - reference.base;
    constexpr double rounding = 1e-12;
    if (sum <= tau + rounding || tip.back() - reference.base < rule.creep_tonight * tau) {
        return std::nullopt;
    }
    const auto z = all_badness(input.level, input.direction);
    const std::span all(z);
    const double spread = stats::spread_of_steps(z);
    const double wanders = (1 + input.memory) / (1 - input.memory);
    const double error =
        median_error * spread * std::sqrt(wanders) *
        std::sqrt(1 / static_cast<double>(newest) + 1 / static_cast<double>(reference.nights));
    if (sum <= rule.creep_errors * error) return std::nullopt;
    Creep creep;
    std::size_t before = end;
    std::size_t fallback = 0;  // the night of the level that is nearest to the reference
    if (const auto step = find_step(all, end, tau)) {
        creep.is_step = true;
        before = step->begin;
        fallback = before - 1;
        reference = {step->base, 1, "the nights before a step"};
    } else {
        fallback = nearest_to(all.first(end), reference.base);
    }
    const double tolerance = tolerance_of(spread, tau);
    creep.begin = last_at(all, before, reference.base, tolerance, fallback);
    const double sign = input.direction == Direction::lower_is_better ? 1 : -1;
    creep.base = value_of_log(sign * reference.base);
    creep.value = stats::median(input.level.last(newest));
    creep.change_ratio = change_ratio(creep.base, creep.value, input.direction);
    creep.reason = fmt::format(
        "the newest nights against {}: {} in {} nights, worse counts above {:+.2f} %",
        reference.name,
        percent_or_zero(creep.change_ratio),
        nights - 1 - creep.begin,
        100 * input.threshold);
    return creep;
}

}  // namespace vigil::detect
