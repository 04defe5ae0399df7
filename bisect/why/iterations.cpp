#include "bisect/why/iterations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace vigil::why {

namespace {

using profile::Function;
using profile::Profile;

constexpr double least_factor = 0.01;  // of iterations, as a logarithm
constexpr double near_factor = 0.05;   // likewise: calls that changed alike
constexpr std::int64_t least_calls = 10;

/// How calls of functions changed.
struct Factors {
    std::vector<std::pair<double, double>> factors;  ///< and weights, smallest first
    double weights = 0;
};

Factors factors_of(const Profile& before, const Profile& after) {
    std::map<std::pair<std::string, std::string>, const Function*> known;
    for (const auto& one : before.functions) known[{one.name, one.file}] = &one;
    Factors all;
    for (const auto& one : after.functions) {
        const auto found = known.find({one.name, one.file});
        if (found == known.end() || found->second->calls < least_calls || one.calls <= 0) continue;
        const auto weight = static_cast<double>(std::min(found->second->cost, one.cost));
        all.factors.emplace_back(
            static_cast<double>(one.calls) / static_cast<double>(found->second->calls), weight);
        all.weights += weight;
    }
    std::ranges::sort(all.factors);
    return all;
}

double median_of(const Factors& all) {
    double before = 0;
    for (const auto& [factor, weight] : all.factors) {
        before += weight;
        if (2 * before >= all.weights) return factor;
    }
    return 1;
}

double ratio_of(const Profile& before, const Profile& after) {
    return static_cast<double>(after.total) /
           static_cast<double>(std::max<std::int64_t>(before.total, 1));
}

}  // namespace

std::optional<double> common_factor(const Profile& before, const Profile& after) {
    const auto all = factors_of(before, after);
    const double middle = median_of(all);
    double near = 0;
    for (const auto& [factor, weight] : all.factors) {
        if (std::abs(std::log(factor / middle)) < near_factor) near += weight;
    }
    const bool is_most = 2 * near >= static_cast<double>(std::min(before.total, after.total));
    return is_most ? std::optional(middle) : std::nullopt;
}

double factor_between(const Profile& before, const Profile& after, double change_ratio) {
    const auto unless_small = [](double factor) {
        return std::abs(std::log(factor)) < least_factor ? 1 : factor;
    };
    if (before.iterations > 0 && after.iterations > 0) {
        return unless_small(
            static_cast<double>(after.iterations) / static_cast<double>(before.iterations));
    }
    // What was cut was so after as much time, whatever it did.
    if (before.cut_after_s > 0 || after.cut_after_s > 0) {
        return unless_small(common_factor(before, after).value_or(1));
    }
    const double factor = median_of(factors_of(before, after));
    const double as_it_is = ratio_of(before, after) - 1;
    const double scaled = ratio_of(before, after) / factor - 1;
    const bool explains = std::abs(scaled - change_ratio) < std::abs(as_it_is - change_ratio);
    return explains ? unless_small(factor) : 1;
}

void scale(Profile& profile, double factor) {
    const auto divide = [&](std::int64_t& value) {
        constexpr auto most = static_cast<double>(profile::most_cost);
        value = std::llround(std::min(static_cast<double>(value) / factor, most));
    };
    divide(profile.total);
    for (auto& one : profile.functions) {
        divide(one.cost);
        divide(one.calls);
        for (auto& library : one.libraries) divide(library.cost);
        for (auto& inlined : one.inlined) divide(inlined.cost);
        for (auto& line : one.lines) divide(line.cost);
    }
}

}  // namespace vigil::why
