#include "bisect/search/interference.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bisect/search/rules.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::search {

namespace {

/// Spread of ln(share) between runs of one build.
double spread_within_builds(const std::vector<Run>& runs) {
    std::map<int, std::vector<double>> builds;
    for (const Run& run : runs) builds[run.place].push_back(std::log(run.busy));
    double squares = 0, freedom = 0;
    for (const auto& [place, logs] : builds) {
        const double middle = stats::mean(logs);
        for (const double one : logs) squares += (one - middle) * (one - middle);
        freedom += static_cast<double>(logs.size()) - 1;
    }
    return freedom > 0 ? std::sqrt(squares / freedom) : 0;
}

}  // namespace

bool weigh_by_share(std::vector<Run>& runs) {
    std::vector<double> shares;
    for (const Run& run : runs) {
        if (run.busy > 0) shares.push_back(run.busy);
    }
    if (shares.size() < runs.size() || runs.empty()) return false;
    const double usual = stats::median(shares);
    if (usual < rule.own_waits || usual > 1 + rule.share_grain) return false;
    if (spread_within_builds(runs) < rule.share_grain) return false;
    const double most = *std::max_element(shares.begin(), shares.end());
    double information = 0;
    for (Run& run : runs) {
        run.spread = std::hypot(rule.share_grain, std::log(most / run.busy));
        information += 1 / (run.spread * run.spread);
    }
    // On average a run tells what it did.
    const double average = std::sqrt(static_cast<double>(runs.size()) / information);
    for (Run& run : runs) run.spread /= average;
    return true;
}

}  // namespace vigil::search
