#include "bisect/detect/creep.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/noise.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr std::size_t oldest_nights = 7;
constexpr std::size_t newest_of_creep = 3;
constexpr std::size_t least_creep_nights = 6;
constexpr double sure_errors = 3;
constexpr double median_error = 1.25;     // of a median, in errors of a mean
constexpr double tonight_at_least = 0.7;  // of the threshold: the newest night agrees
constexpr double tolerated_spreads = 2.5;

/// Differences hardly see a slow drift, nor a step.
double night_spread(std::span<const double> z) {
    std::vector<double> steps;
    for (std::size_t i = 1; i < z.size(); ++i) steps.push_back(std::abs(z[i] - z[i - 1]));
    if (steps.empty()) return 0;
    return 1.4826 * stats::median(steps) / std::numbers::sqrt2;
}

double tolerance_of(double spread, double tau) {
    return std::clamp(tolerated_spreads * spread, tau / 7, tau / 2);
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

}  // namespace

double level_tolerance(std::span<const double> nights, double threshold) {
    std::vector<double> z;
    for (const double value : nights) z.push_back(badness(value, Direction::lower_is_better));
    return tolerance_of(night_spread(z), std::log1p(threshold));
}

std::optional<Creep> find_creep(const CreepInput& input) {
    const std::size_t nights = input.level.size();
    std::vector<double> z;
    for (const double value : input.level) {
        if (!std::isfinite(value) || !(value > 0)) {
            throw Error(
                Errc::invalid_argument, fmt::format("looking for creep: {} is not above 0", value));
        }
        z.push_back(badness(value, input.direction));
    }
    if (input.pinned && *input.pinned >= nights) {
        throw Error(Errc::invalid_argument, "looking for creep: no such pinned night");
    }
    if (nights < least_creep_nights) return std::nullopt;
    const double tau = std::log1p(input.threshold);
    const double spread = night_spread(z);
    const std::size_t newest = std::min(newest_of_creep, nights / 2);
    const std::size_t end = nights - newest;
    const std::span all(z);
    std::size_t oldest = std::min(oldest_nights, end);
    double base = stats::median(all.first(oldest));
    std::size_t fallback = nearest_to(all.first(oldest), base);
    std::string_view against = "the oldest nights of its level";
    if (input.pinned && *input.pinned < end && z[*input.pinned] < base) {
        base = z[*input.pinned];
        oldest = 1;
        fallback = *input.pinned;
        against = "the pinned night";
    }
    const double sum = stats::median(all.last(newest)) - base;
    const double error =
        median_error * spread *
        std::sqrt(1 / static_cast<double>(newest) + 1 / static_cast<double>(oldest));
    constexpr double rounding = 1e-12;
    if (sum <= tau + rounding || sum <= sure_errors * error) return std::nullopt;
    if (z.back() - base < tonight_at_least * tau) return std::nullopt;
    Creep creep;
    creep.begin = last_at(all, end, base, tolerance_of(spread, tau), fallback);
    const double sign = input.direction == Direction::lower_is_better ? 1 : -1;
    creep.base = std::exp(sign * base);
    creep.value = stats::median(input.level.last(newest));
    creep.change_ratio = change_ratio(creep.base, creep.value, input.direction);
    creep.reason = fmt::format(
        "the newest nights against {}: {:+.2f} % in {} nights, worse counts above {:+.2f} %",
        against,
        100 * creep.change_ratio,
        nights - 1 - creep.begin,
        100 * input.threshold);
    return creep;
}

}  // namespace vigil::detect
