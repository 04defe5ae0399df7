#include "service/report/facts/fact_difference.hpp"

#include <algorithm>
#include <map>

#include "bisect/stats/summary.hpp"

namespace vigil::service {

std::vector<FactDifference> clear_differences(const std::vector<FactOfRun>& runs) {
    constexpr std::size_t least_runs = 3;
    constexpr double least_factor = 2;
    constexpr double least_difference = 10;
    struct Sides {
        std::vector<double> before;
        std::vector<double> after;
    };
    std::map<std::string, Sides> by_name;
    for (const auto& run : runs) {
        auto& sides = by_name[run.name];
        (run.is_before ? sides.before : sides.after).push_back(run.value);
    }
    std::vector<FactDifference> found;
    for (const auto& [name, sides] : by_name) {
        if (std::min(sides.before.size(), sides.after.size()) < least_runs) continue;
        const double before = stats::median(sides.before);
        const double after = stats::median(sides.after);
        const auto [less, more] = std::minmax(before, after);
        if (more <= least_factor * less || more - less < least_difference) continue;
        found.push_back({name, before, after});
    }
    return found;
}

}  // namespace vigil::service
