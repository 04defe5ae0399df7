#include "service/watch/noisy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bisect/stats/summary.hpp"
#include "service/watch/benchmarks.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t checks_a_night = 32;  // a block or more each

// The night that last asked for a session of this series, and did not let it wait; 0: none did.
NightlyId last_asked(Database& db, SeriesId series, NightlyId nightly) {
    const auto night = db.find<NightlyId>(
        "SELECT nightly_id FROM suspicion WHERE series_id = ?1 AND nightly_id < ?2 "
        "AND (session_id IS NOT NULL OR waits = '') ORDER BY nightly_id DESC LIMIT 1",
        series,
        nightly);
    return night.value_or(NightlyId{0});
}

}  // namespace

bool nights_cannot_tell(std::span<const double> earlier, double threshold) {
    constexpr std::size_t enough_nights = 7;
    constexpr double too_noisy = 0.6;  // of the threshold, as confirmation calls a series noisy
    if (earlier.size() < enough_nights) return true;
    std::vector<double> levels;
    for (const double value : earlier) levels.push_back(std::log(value));
    return stats::spread(levels) > too_noisy * std::log1p(threshold);
}

bool measures_in_turns(Database& db, const ProjectConfig& config, const SeriesRow& series) {
    if (kind_of(series.metric) != MetricKind::time) return false;
    const auto plan = find_benchmark(db, config, series.project, series.benchmark, series.variant);
    return plan.interleave > 1;
}

int nights_unasked(Database& db, SeriesId series, NightlyId nightly) {
    return db
        .find<int>(
            "SELECT COUNT(*) FROM suspicion WHERE series_id = ?1 AND nightly_id < ?2 "
            "AND nightly_id > ?3 AND waits <> '' AND session_id IS NULL",
            series,
            nightly,
            last_asked(db, series, nightly))
        .value_or(0);
}

std::set<SeriesId> choose_checks(
    Database& db, NightlyId nightly, const std::vector<SeriesId>& candidates) {
    std::vector<std::pair<NightlyId, SeriesId>> order;
    for (const auto series : candidates)
        order.emplace_back(last_asked(db, series, nightly), series);
    std::sort(order.begin(), order.end());
    std::set<SeriesId> chosen;
    for (const auto& [asked, series] : order) {
        if (chosen.size() == checks_a_night) break;
        chosen.insert(series);
    }
    return chosen;
}

}  // namespace vigil::service
