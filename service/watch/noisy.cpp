#include "service/watch/noisy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bisect/stats/summary.hpp"
#include "service/watch/benchmarks.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t checks_a_night = 32;  // a block or more each

bool measures_in_turns(Database& db, const ProjectConfig& config, const SeriesRow& series) {
    if (kind_of(series.metric) != MetricKind::time) return false;
    const auto plan = find_benchmark(db, config, series.project, series.benchmark, series.variant);
    return plan.interleave > 1;
}

// The night that last asked for a session of this series; 0: none did.
NightlyId last_asked(Database& db, SeriesId series) {
    const auto night = db.find<NightlyId>(
        "SELECT nightly_id FROM suspicion WHERE series_id = ?1 ORDER BY nightly_id DESC LIMIT 1",
        series);
    return night.value_or(NightlyId{0});
}

}  // namespace

bool nights_cannot_tell(const std::vector<NightValues>& earlier, double threshold) {
    constexpr std::size_t enough_nights = 7;
    constexpr double too_noisy = 0.6;  // of the threshold, as confirmation calls a series noisy
    if (earlier.size() < enough_nights) return true;
    std::vector<double> levels;
    for (const auto& night : earlier) levels.push_back(std::log(night.value));
    return stats::spread(levels) > too_noisy * std::log1p(threshold);
}

std::set<SeriesId> choose_checks(
    Database& db,
    const ProjectConfig& config,
    const std::vector<SeriesRow>& measured,
    NightlyId nightly) {
    std::vector<std::pair<NightlyId, const SeriesRow*>> candidates;
    for (const auto& series : measured) {
        const auto& judged = config.judged;
        if (std::find(judged.begin(), judged.end(), series.metric) == judged.end()) continue;
        if (!measures_in_turns(db, config, series)) continue;
        candidates.emplace_back(last_asked(db, series.id), &series);
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    std::set<SeriesId> chosen;
    for (const auto& [asked, series] : candidates) {
        if (chosen.size() == checks_a_night) break;
        auto nights = load_level(db, series->id, nightly);
        if (nights.empty() || nights.back().nightly != nightly) continue;
        nights.pop_back();
        if (nights.empty()) continue;
        if (nights_cannot_tell(nights, threshold_of(config.thresholds, series->metric))) {
            chosen.insert(series->id);
        }
    }
    return chosen;
}

}  // namespace vigil::service
