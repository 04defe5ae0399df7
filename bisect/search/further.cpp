#include "bisect/search/further.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/search/rules.hpp"

namespace vigil::search {

Remaining remaining(const Posterior& posterior, const Line& line, const std::vector<int>& known) {
    struct Stretch {
        int first = 0;
        int last = -1;  // gaps
        double sum = 0;
    };
    Stretch best;
    Stretch at;
    for (int gap = 0; gap < posterior.gaps(); ++gap) {
        if (std::find(known.begin(), known.end(), gap) != known.end()) {
            at = {gap + 1, gap, 0};
            continue;
        }
        at.last = gap;
        at.sum += posterior.notable(gap);
        if (at.sum > best.sum) best = at;
    }
    Remaining found;
    found.probability = std::min(best.sum, 1.0);
    const auto unlikely = [&](int gap) {
        return best.first < best.last && posterior.notable(gap) < rule.hardly_there * best.sum;
    };
    while (unlikely(best.first)) ++best.first;
    while (unlikely(best.last)) --best.last;
    double weight = 0;
    double effect = 0;
    for (int gap = best.first; gap <= best.last; ++gap) {
        weight += posterior.notable(gap);
        effect += posterior.notable(gap) * posterior.effect(gap);
    }
    if (weight <= 0) return found;
    const auto& places = posterior.places();
    const int from = places[static_cast<std::size_t>(best.first)];
    const int to = places[static_cast<std::size_t>(best.last) + 1];
    found.first = line.first_suspect(from, to);
    found.last = line.last_suspect(from, to);
    found.change_ratio = std::expm1(effect / weight);
    return found;
}

}  // namespace vigil::search
