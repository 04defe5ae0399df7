#include "service/report/facts/precision.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/stats/summary.hpp"
#include "service/store/nights/reported.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr int noisiest_shown = 5;
constexpr std::size_t spread_nights = 28;
constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t week_s = 7 * day_s;

std::optional<double> spread_of(Database& db, SeriesId series) {
    const auto record = load_record(db, series);
    if (!record) return std::nullopt;
    auto level = detect::level_values(*record);
    level = level.last(std::min(level.size(), spread_nights));
    if (level.size() < 2) return std::nullopt;
    std::vector<double> logs;
    for (const double value : level) logs.push_back(log_of(value));
    return std::expm1(stats::spread(logs));
}

}  // namespace

PrecisionFacts load_precision(Database& db, const PrecisionScope& scope) {
    PrecisionFacts facts{
        count_suspicions(db, scope),
        count_regressions(db, scope),
        count_recall(db, scope),
        count_runs(db, scope),
        scope};
    facts.nights = count_nights(db, scope);
    const auto took_s = list_verdict_times(db, scope);
    facts.timed = static_cast<int>(took_s.size());
    if (!took_s.empty()) {
        facts.median_verdict_s = std::llround(stats::median(took_s));
        facts.slow_verdict_s = std::llround(stats::quantile(took_s, 0.9));
    }
    for (auto& one : list_noisiest(db, scope, noisiest_shown)) {
        const auto spread = spread_of(db, one.id);
        facts.noisiest.push_back({std::move(one), spread});
    }
    return facts;
}

std::optional<PrecisionScope> find_week_to_report(Database& db, NightlyId nightly) {
    const auto ended = find_ended_night(db, nightly);
    if (!ended) return std::nullopt;
    // Day 0 was a Thursday.
    const std::int64_t week = (ended->ended_at_s / day_s + 3) / 7;
    const std::int64_t monday_s = (7 * week - 3) * day_s;
    const auto before_s = find_ended_before_s(db, nightly, *ended);
    if (!before_s || *before_s >= monday_s) return std::nullopt;
    return PrecisionScope{ended->project, monday_s - week_s, monday_s};
}

}  // namespace vigil::service
