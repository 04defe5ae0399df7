#include "service/watch/machine_move.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/detect/noise.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::service {

bool old_build_moved(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const std::vector<detect::SessionRun>& runs,
    double change_ratio,
    double threshold) {
    constexpr int baseline_nights = 14;
    constexpr std::size_t enough_nights = 7;
    constexpr double beyond_scatter = 3.5;
    std::vector<double> old;
    for (const auto& run : runs) {
        if (run.side != detect::Side::a) continue;
        old.push_back(detect::badness(run.value, series.direction));
    }
    auto nights = load_level(db, series.id, nightly, baseline_nights + 1);
    if (!nights.empty() && nights.back().nightly == nightly) nights.pop_back();
    if (old.size() < 2 || nights.size() < enough_nights) return false;
    std::vector<double> levels;
    for (const auto& night : nights) {
        levels.push_back(detect::badness(night.value, series.direction));
    }
    const double tonight = log_of_change(change_ratio);
    const double along = tonight < 0 ? -1 : 1;
    const double moved = along * (stats::median(old) - stats::median(levels));
    return moved >= std::abs(tonight) / 2 && moved > std::log1p(threshold) / 2 &&
           moved > beyond_scatter * stats::spread(levels);
}

bool rebase_if_it_stays(Database& db, SeriesId series, NightlyId nightly, std::int64_t now_s) {
    const auto nights = load_level(db, series, nightly, 2);
    if (nights.size() < 2) return false;
    const auto before = nights.front().nightly;
    const auto moved_then = db.find<int>(
        "SELECT 1 FROM suspicion WHERE series_id = ?1 AND nightly_id = ?2 "
        "AND verdict = 'environment'",
        series,
        before);
    if (!moved_then) return false;
    restart_baseline(db, series, before, "the machine moved and stayed", now_s);
    return true;
}

}  // namespace vigil::service
