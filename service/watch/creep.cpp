#include "service/watch/creep.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/stats/summary.hpp"

namespace vigil::service {

namespace {

constexpr int longest_level = 5000;    // nights
constexpr int quiet_nights = 14;       // after a sum that was measured and not filed
constexpr double growth_share = 0.25;  // of the threshold: then it is raised sooner

std::optional<detect::Creep> creep_of(
    Database& db,
    const SeriesRow& series,
    const std::vector<NightValues>& nights,
    double threshold) {
    std::vector<double> level;
    for (const auto& night : nights) level.push_back(night.value);
    std::optional<std::size_t> position;
    const auto pinned = find_pinned(db, series.id);
    const auto at = std::find_if(nights.begin(), nights.end(), [&](const auto& night) {
        return pinned && night.nightly == *pinned;
    });
    if (at != nights.end() && std::next(at) != nights.end()) {
        position = static_cast<std::size_t>(at - nights.begin());
    }
    return detect::find_creep({level, position, series.direction, threshold});
}

bool is_braked(
    Database& db, const SeriesRow& series, NightlyId tonight, double sum, double threshold) {
    auto rows = db.query(
        "SELECT u.change_ratio, (SELECT COUNT(*) FROM night n WHERE n.project_id = ?3 "
        "AND n.id > u.nightly_id AND n.id <= ?2) FROM suspicion u WHERE u.series_id = ?1 "
        "AND u.creep = 1 AND u.nightly_id < ?2 AND u.verdict <> 'watch' ORDER BY u.id DESC LIMIT 1",
        series.id,
        tonight,
        series.project);
    if (!rows.next()) return false;
    return rows.get<int>(1) < quiet_nights && sum < rows.get<double>(0) + growth_share * threshold;
}

}  // namespace

bool may_creep(
    Database& db, const SeriesRow& series, const FollowedNight& followed, double threshold) {
    constexpr std::size_t newest_nights = 3;
    constexpr double nearly = 0.9;  // of the threshold: medians are taken a little differently
    const std::span<const double> level(followed.level);
    if (level.size() <= newest_nights) return false;
    const double newest = stats::median(level.last(newest_nights));
    // Levels of fewer nights than the base has are summed from what there is.
    const auto first = static_cast<std::size_t>(level_base_nights);
    const bool is_short = !followed.base || level.size() < first + newest_nights;
    const double base =
        is_short ? stats::median(level.first(level.size() - newest_nights)) : *followed.base;
    const auto exceeds = [&](double from) {
        return change_ratio(from, newest, series.direction) > nearly * threshold;
    };
    if (exceeds(base)) return true;
    const auto pinned = find_pinned(db, series.id);
    const auto value = pinned ? find_night_value(db, series.id, *pinned) : std::nullopt;
    return value && exceeds(*value);
}

std::optional<SeriesCreep> find_series_creep(
    Database& db,
    const SeriesRow& series,
    const std::vector<NightValues>& nights,
    double threshold) {
    if (nights.empty()) return std::nullopt;
    const auto tonight = nights.back().nightly;
    std::vector<NightValues> level = nights;
    const bool is_whole = static_cast<int>(nights.size()) < level_window;
    if (!is_whole) {
        // Its first nights are enough to see that there is something.
        level = load_level_start(db, series.id, tonight, level_base_nights);
        for (const auto& night : nights) {
            if (level.empty() || level.back().nightly < night.nightly) level.push_back(night);
        }
    }
    auto creep = creep_of(db, series, level, threshold);
    if (!creep || is_braked(db, series, tonight, creep->change_ratio, threshold)) {
        return std::nullopt;
    }
    if (!is_whole) {
        level = load_level(db, series.id, tonight, longest_level);
        creep = creep_of(db, series, level, threshold);
        if (!creep) return std::nullopt;
    }
    return SeriesCreep{*creep, level[creep->begin], level[creep->begin + 1].nightly};
}

}  // namespace vigil::service
