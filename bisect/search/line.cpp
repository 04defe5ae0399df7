#include "bisect/search/line.hpp"

#include <algorithm>

#include "bisect/search/rules.hpp"

namespace vigil::search {

Line::Line(const Problem& problem, const Facts& facts) {
    const auto size = static_cast<std::size_t>(problem.suspects) + 1;
    place_.resize(size);
    for (std::size_t i = 0; i < size; ++i) place_[i] = static_cast<int>(i);
    std::vector<double> weights(size, 1.0);
    weights[0] = 0;
    if (!problem.weights.empty()) {
        double sum = 0;
        for (const double w : problem.weights) sum += std::max(w, 0.0);
        const double even = 1.0 / problem.suspects;
        for (std::size_t i = 1; i < size; ++i) {
            const double own = std::max(problem.weights[i - 1], 0.0);
            weights[i] = sum > 0 ? (own / sum + even) / 2 : even;
        }
    }
    // Only neighbours among the known products are merged: a revert makes an old product again,
    // and what lies between the two is another one.
    std::size_t before = size;
    for (std::size_t i = 0; i < std::min(size, facts.product.size()); ++i) {
        if (facts.product[i] < 0) continue;
        if (before < size && facts.product[before] == facts.product[i]) {
            for (std::size_t j = before + 1; j <= i; ++j) {
                place_[j] = place_[before];
                weights[j] = 0;
            }
        }
        before = i;
    }
    sums_.assign(size, 0.0);
    for (std::size_t i = 1; i < size; ++i) sums_[i] = sums_[i - 1] + weights[i];
    const double total = sums_.back();
    if (total > 0) {
        for (double& s : sums_) s /= total;
    }
}

int Line::newest(int commit) const {
    int newest = commit;
    while (newest < last() && place(newest + 1) == place(commit)) ++newest;
    return newest;
}

int Line::first_suspect(int from, int to) const {
    int commit = from + 1;
    while (commit < to && mass(commit - 1, commit) <= 0) ++commit;
    return commit;
}

int Line::last_suspect(int from, int to) const {
    int commit = to;
    while (commit > from + 1 && mass(commit - 1, commit) <= 0) --commit;
    return commit;
}

}  // namespace vigil::search
