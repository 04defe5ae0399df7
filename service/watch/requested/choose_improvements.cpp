#include "service/watch/requested/choose_improvements.hpp"

#include <algorithm>

namespace vigil::service {

std::vector<ImprovementGroup> choose_improvements(
    const std::vector<std::vector<ConfirmedChange>>& together, int probes) {
    const auto is_larger = [](const ConfirmedChange& a, const ConfirmedChange& b) {
        return a.confirmed.change_ratio < b.confirmed.change_ratio;
    };
    std::vector<ImprovementGroup> groups;
    for (const auto& members : together) {
        const auto largest = std::ranges::min_element(members, is_larger);
        groups.push_back({*largest, static_cast<int>(members.size()) - 1, 0});
    }
    std::ranges::stable_sort(groups, is_larger, &ImprovementGroup::largest);
    const auto share = static_cast<std::size_t>(std::max(probes / probes_of_search, 1));
    const auto searched = std::min(groups.size(), share);
    for (std::size_t i = 0; i < searched; ++i) {
        groups[i].probes = probes / static_cast<int>(searched);
    }
    return groups;
}

}  // namespace vigil::service
