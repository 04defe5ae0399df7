#include "bisect/search/sessions.hpp"

#include <algorithm>

#include "bisect/stats/together.hpp"

namespace vigil::search {

std::vector<int> interleave(int a, int b, int runs) {
    std::vector<int> order;
    for (int i = 0; i < runs; ++i) {
        order.push_back(i % 2 == 0 ? a : b);
        order.push_back(i % 2 == 0 ? b : a);
    }
    return order;
}

std::vector<int> groups_of(int commit, int runs, int control, int other, int at_once) {
    for (int controls = 1;; ++controls) {
        // Only the number of positions tells the groups, as long as none is of one commit alone.
        std::vector<int> order;
        for (int i = 0; i < runs + controls; ++i) order.push_back(i);
        const auto groups = stats::run_groups(order, at_once);
        if (static_cast<int>(groups.size()) > controls) continue;
        std::fill(order.begin(), order.end(), commit);
        for (const auto& group : groups) {
            order[static_cast<std::size_t>(group.front())] = control;
            std::swap(control, other);
        }
        return order;
    }
}

}  // namespace vigil::search
