#include "worker/lease/groups.hpp"

#include <set>

namespace vigil::worker {

std::vector<std::vector<int>> group_steps(const JobPlan& plan, const std::vector<int>& product) {
    const int count = static_cast<int>(plan.steps.size());
    const auto step = [&](int i) { return plan.steps[static_cast<std::size_t>(i)]; };
    const auto product_of = [&](int i) { return product[static_cast<std::size_t>(step(i).build)]; };
    std::vector<std::vector<int>> groups;
    std::vector<bool> taken(plan.steps.size(), false);
    for (int first = 0; first < count; ++first) {
        if (taken[static_cast<std::size_t>(first)] || product_of(first) < 0) continue;
        const int benchmark = step(first).benchmark;
        const auto size = static_cast<std::size_t>(
            plan.benchmarks[static_cast<std::size_t>(benchmark)].interleave);
        std::vector<int> group;
        std::set<int> products;
        for (int i = first; i < count && group.size() < size; ++i) {
            if (taken[static_cast<std::size_t>(i)] || step(i).benchmark != benchmark) continue;
            if (product_of(i) < 0) continue;
            group.push_back(i);
            products.insert(product_of(i));
        }
        // Runs of one product alone shall meet different moments of the machine.
        if (products.size() < 2) group.resize(1);
        for (const int i : group) taken[static_cast<std::size_t>(i)] = true;
        groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace vigil::worker
