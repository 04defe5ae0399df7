#include "service/watch/search/good_end.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/detect/level_ends.hpp"
#include "bisect/detect/noise.hpp"
#include "bisect/detect/rules.hpp"
#include "bisect/stats/summary.hpp"
#include "service/store/series/values.hpp"

namespace vigil::service {

namespace {

NightlyId known_good(Database& db, NightlyId bad, const ConfirmedChange& member) {
    const auto good = member.good_nightly;
    const double ratio = member.confirmed.change_ratio;
    if (member.by_outcome || member.confirmed.runs_after == 0 || !(ratio > 0)) return good;
    const auto series = load_series(db, member.series);
    const auto level = load_level(db, member.series, good);
    std::vector<detect::LaterNight> between;
    for (const auto& night : load_history(db, member.series, bad, level_window)) {
        if (night.nightly <= good || night.nightly >= bad) continue;
        const bool asked = has_suspicion(db, member.series, night.nightly);
        between.push_back(
            {night.nightly, detect::badness(night.value, series.direction), {}, asked});
    }
    if (level.empty() || between.empty()) return good;
    std::vector<double> levels;
    for (const auto& night : level) {
        levels.push_back(detect::badness(night.value, series.direction));
    }
    const auto newest = std::min(levels.size(), detect::rule.baseline_nights);
    const double before = stats::median(std::span(levels).last(newest));
    const double spread = std::max(
        {spread_between(level, series.direction),
         run_noise(level, series.direction).spread,
         detect::rule.least_spread});
    return detect::newest_good(between, before, before + log_of_change(ratio), spread)
        .value_or(good);
}

}  // namespace

void move_good_end(Database& db, NightlyId bad, std::vector<ConfirmedChange>& members) {
    auto good = bad;
    for (const auto& member : members) good = std::min(good, known_good(db, bad, member));
    for (auto& member : members) member.good_nightly = std::max(member.good_nightly, good);
}

}  // namespace vigil::service
