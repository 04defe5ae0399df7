#include "service/watch/search/good_end.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/detect/noise.hpp"
#include "bisect/detect/rules.hpp"
#include "bisect/stats/summary.hpp"
#include "service/store/series/values.hpp"

namespace vigil::service {

namespace {

constexpr double at_old_level = 0.25;   // of the change
constexpr double surely_not_new = 4.5;  // spreads of a night

NightlyId known_good(Database& db, NightlyId bad, const ConfirmedChange& member) {
    const auto good = member.good_nightly;
    const double ratio = member.confirmed.change_ratio;
    if (member.by_outcome || member.confirmed.runs_after == 0 || !(ratio > 0)) return good;
    const auto series = load_series(db, member.series);
    const auto level = load_level(db, member.series, good);
    std::vector<LaterNight> between;
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
    constexpr std::size_t newest = 14;  // nights, as a baseline has
    const double before = stats::median(std::span(levels).last(std::min(levels.size(), newest)));
    const double spread = std::max(
        {spread_between(level, series.direction),
         run_noise(level, series.direction).spread,
         detect::rule.least_spread});
    return newest_good(between, before, before + log_of_change(ratio), spread).value_or(good);
}

}  // namespace

std::optional<NightlyId> newest_good(
    std::span<const LaterNight> nights, double before, double after, double spread) {
    const double change = after - before;
    if (!(spread > 0) || (1 - at_old_level) * change < surely_not_new * spread) return std::nullopt;
    std::optional<NightlyId> newest;
    for (const auto& night : nights) {
        if (night.was_requested || night.level > before + at_old_level * change) break;
        newest = night.id;
    }
    return newest;
}

void move_good_end(Database& db, NightlyId bad, std::vector<ConfirmedChange>& members) {
    auto good = bad;
    for (const auto& member : members) good = std::min(good, known_good(db, bad, member));
    for (auto& member : members) member.good_nightly = std::max(member.good_nightly, good);
}

}  // namespace vigil::service
