#include "bisect/stats/together.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace vigil::stats {

namespace {

constexpr int least_levelled = 4;

struct GroupSum {
    std::map<int, int> kinds;
    double logs = 0;
    int size = 0;
};

bool mixes_alike(const GroupSum& a, const GroupSum& b) {
    return a.kinds.size() == b.kinds.size() &&
           std::all_of(a.kinds.begin(), a.kinds.end(), [&](const auto& entry) {
               const auto other = b.kinds.find(entry.first);
               return other != b.kinds.end() && entry.second * b.size == other->second * a.size;
           });
}

}  // namespace

std::vector<std::vector<int>> run_groups(std::span<const int> commits, int at_once) {
    const int count = static_cast<int>(commits.size());
    const int pairs = std::max((count + 1) / 2, 1);
    const int pairs_at_once = std::max(at_once / 2, 1);
    const int chunks = (pairs + pairs_at_once - 1) / pairs_at_once;
    std::vector<std::vector<int>> groups;
    int position = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const int size = 2 * (pairs / chunks + (chunk < pairs % chunks ? 1 : 0));
        std::vector<int> group;
        std::set<int> kinds;
        for (; position < count && static_cast<int>(group.size()) < size; ++position) {
            group.push_back(position);
            kinds.insert(commits[static_cast<std::size_t>(position)]);
        }
        if (at_once > 1 && kinds.size() > 1) {
            groups.push_back(std::move(group));
        } else {
            for (const int alone : group) groups.push_back({alone});
        }
    }
    return groups;
}

std::vector<double> level_groups(std::span<const GroupedValue> values) {
    std::vector<double> levelled;
    std::map<int, GroupSum> groups;
    double logs = 0;
    bool has_zero = false;
    for (const auto& one : values) {
        levelled.push_back(one.value);
        has_zero = has_zero || one.value == 0;
        GroupSum& sum = groups[one.group];
        ++sum.kinds[one.kind];
        ++sum.size;
        sum.logs += std::log(one.value);
        logs += std::log(one.value);
    }
    const bool fair = std::all_of(groups.begin(), groups.end(), [&](const auto& entry) {
        return entry.first >= 0 && entry.second.size >= least_levelled &&
               mixes_alike(entry.second, groups.begin()->second);
    });
    if (!fair || has_zero || groups.size() < 2) return levelled;
    const double mean = logs / static_cast<double>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const GroupSum& sum = groups.at(values[i].group);
        levelled[i] *= std::exp(mean - sum.logs / sum.size);
    }
    return levelled;
}

}  // namespace vigil::stats
