#include "bisect/why/sampling.hpp"

#include <cmath>
#include <map>
#include <utility>

namespace vigil::why {

namespace {

using profile::Profile;

constexpr double sure = 2;            // standard errors
constexpr double least_ratio = 0.02;  // of what was measured, that a loop hides
constexpr double least_part = 0.02;   // of a run, that a function took from others
constexpr double surer = 3;           // of many functions, one is off by two errors by chance

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

}  // namespace

double sampling_error(std::int64_t before, std::int64_t after, double after_scale) {
    // A count that was multiplied by k is off by the square root of k times itself.
    return std::sqrt(static_cast<double>(before) + after_scale * static_cast<double>(after));
}

bool differs_beyond_error(std::int64_t before, std::int64_t after, double after_scale) {
    return std::abs(difference(before, after)) > sure * sampling_error(before, after, after_scale);
}

double factor_of_sized_loop(const Profile& before, const Profile& after, double change_ratio) {
    const double least = least_ratio * static_cast<double>(before.total);
    const bool is_as_before = !differs_beyond_error(before.total, after.total) ||
                              std::abs(difference(before.total, after.total)) < least;
    if (!is_as_before || !(change_ratio > least_ratio) || after.total <= 0) return 1;
    const double part = least_part * static_cast<double>(before.total);
    for (const auto& [key, cost] : costs_of(before, after)) {
        const double more = difference(cost.first, cost.second);
        if (more < part || more < surer * sampling_error(cost.first, cost.second)) continue;
        return (1 + change_ratio) * static_cast<double>(before.total) /
               static_cast<double>(after.total);
    }
    return 1;
}

bool needs_samples(const profile::Why& exact, const Profile& after, double change_ratio) {
    const bool disagrees = change_ratio != 0 && (exact.after > exact.before) != (change_ratio > 0);
    return exact.rows.empty() || disagrees || !after.interpreter.empty();
}

}  // namespace vigil::why
