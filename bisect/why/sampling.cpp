#include "bisect/why/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"

namespace vigil::why {

namespace {

using profile::Profile;

constexpr double sure = 2;               // standard errors
constexpr double least_ratio = 0.02;     // of what was measured, that a loop hides
constexpr double least_part = 0.02;      // of a run, that a function took from others
constexpr double least_applied = 0.005;  // that is applied
constexpr double surer = 3;              // of many functions, one is off by two errors by chance

using Costs = std::map<std::pair<std::string, std::string>, std::pair<std::int64_t, std::int64_t>>;

Costs costs_of(const Profile& before, const Profile& after) {
    Costs costs;
    for (const auto& one : before.functions) costs[{one.name, one.file}].first = one.cost;
    for (const auto& one : after.functions) costs[{one.name, one.file}].second = one.cost;
    return costs;
}

double difference(std::int64_t before, std::int64_t after) {
    return static_cast<double>(after) - static_cast<double>(before);
}

/// As many samples as before, and some function has surely more.
bool is_of_sized_loop(const Profile& before, const Profile& after, double change_ratio) {
    const double least = least_ratio * static_cast<double>(before.total);
    const bool is_as_before = !differs_beyond_error(before.total, after.total) ||
                              std::abs(difference(before.total, after.total)) < least;
    if (!is_as_before || !(change_ratio > least_ratio)) return false;
    const double part = least_part * static_cast<double>(before.total);
    return std::ranges::any_of(costs_of(before, after), [&](const auto& one) {
        const auto& [was, is] = one.second;
        const double more = difference(was, is);
        return more >= part && more >= surer * sampling_error(was, is);
    });
}

}  // namespace

double sampling_error(std::int64_t before, std::int64_t after, double after_scale) {
    // A count that was multiplied by k is off by the square root of k times itself.
    return std::sqrt(static_cast<double>(before) + after_scale * static_cast<double>(after));
}

bool differs_beyond_error(std::int64_t before, std::int64_t after, double after_scale) {
    return std::abs(difference(before, after)) > sure * sampling_error(before, after, after_scale);
}

AsMeasured as_measured(
    const Profile& before, const Profile& after, double change_ratio, double after_scale) {
    AsMeasured found;
    const double expected = (1 + change_ratio) * static_cast<double>(before.total);
    if (change_ratio == 0 || !std::isfinite(expected) || after.total <= 0) return found;
    const double off = std::abs(static_cast<double>(after.total) - expected);
    const bool fits = off <= sure * sampling_error(before.total, after.total, after_scale);
    if (!fits && !is_of_sized_loop(before, after, change_ratio)) return found;
    found.explains = true;
    const double factor = expected / static_cast<double>(after.total);
    if (std::abs(factor - 1) < least_applied) return found;
    found.factor = factor;
    found.note = fmt::format(
        "{}: the numbers after are multiplied by {}, so that they add up to the change that was "
        "measured ({})",
        fits ? "the total of samples is off by its own error"
             : "its loop runs for as long whatever it does",
        text::rounded(factor, 2),
        text::percent(change_ratio));
    return found;
}

bool leaves_open(const profile::Why& exact, const Profile& after, double change_ratio) {
    const bool disagrees = change_ratio != 0 && (exact.after > exact.before) != (change_ratio > 0);
    return exact.rows.empty() || disagrees || !after.interpreter.empty();
}

}  // namespace vigil::why
