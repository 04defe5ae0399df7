#include "service/watch/judge.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/detect/night.hpp"
#include "service/store/events.hpp"
#include "service/watch/builds.hpp"
#include "service/watch/values.hpp"
#include "service/watch/watched.hpp"

namespace vigil::service {

namespace {

// The A of the A/B: the newest earlier night at the baseline's level (confirmation.md, section 2);
// when none is, the newest.
const NightValues& good_night(
    const std::vector<NightValues>& earlier, double base, Direction direction, double threshold) {
    for (auto night = earlier.rbegin(); night != earlier.rend(); ++night) {
        if (std::abs(change_ratio(base, night->value, direction)) <= threshold / 2) return *night;
    }
    return earlier.back();
}

void open_suspicion(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const NightValues& good,
    const detect::NightJudgement& judgement,
    bool same_build,
    std::int64_t now_s) {
    const std::string reason =
        same_build ? judgement.reason + "; the two builds have the same product" : judgement.reason;
    db.execute(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, verdict, base, "
        "value, change_ratio, reason, created_at_s, ended_at_s) "
        "VALUES (?1, ?2, ?3, 'level', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        series.id,
        nightly,
        good.nightly,
        same_build ? SuspicionState::ended : SuspicionState::open,
        same_build ? std::optional(Verdict::noise) : std::nullopt,
        judgement.base,
        judgement.value,
        judgement.change_ratio,
        reason,
        now_s,
        same_build ? std::optional(now_s) : std::nullopt);
    record_event(
        db,
        now_s,
        "suspicion.opened",
        series.project,
        "suspicion/" + std::to_string(db.last_insert_id()),
        series.benchmark + " " + series.variant + " " + std::string(to_string(series.metric)) +
            ": " + reason);
}

// An undecided night is held against tonight's build too, suspicious or not. With a change of the
// old one's sign tonight's own judgement speaks.
std::optional<NightValues> find_watched_good(
    Database& db,
    SeriesId series,
    NightlyId nightly,
    const std::vector<NightValues>& earlier,
    const detect::NightJudgement& judgement) {
    const auto watched = list_watched(db, series, nightly);
    const int nights = static_cast<int>(watched.size());
    if (nights == 0 || nights >= max_watched_nights) return std::nullopt;
    const bool same_way = (watched.front().change_ratio > 0) == (judgement.change_ratio > 0);
    if (!same_way) return std::nullopt;
    for (const auto& night : earlier) {
        if (night.nightly == watched.front().good_nightly) return night;
    }
    return std::nullopt;
}

// The night named by `pinned_version` becomes the pinned baseline of each series it measured.
void pin(Database& db, const ProjectConfig& config, const SeriesRow& series, std::int64_t now_s) {
    if (config.pinned_version.empty()) return;
    db.execute(
        "INSERT INTO baseline(series_id, kind, nightly_id, reason, created_at_s) "
        "SELECT ?1, 'pinned', n.id, 'pinned by the config', ?4 FROM nightly n "
        "WHERE n.project_id = ?2 AND (n.version = ?3 OR n.revision = ?3) AND NOT EXISTS ("
        "SELECT 1 FROM baseline b WHERE b.series_id = ?1 AND b.kind = 'pinned' "
        "AND b.nightly_id = n.id) ORDER BY n.id DESC LIMIT 1",
        series.id,
        series.project,
        config.pinned_version,
        now_s);
}

}  // namespace

NightCounts judge_nightly(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    NightCounts counts;
    for (const auto& series : list_series_of(db, nightly)) {
        const auto& judged = config.judged;
        if (std::find(judged.begin(), judged.end(), series.metric) == judged.end()) continue;
        auto nights = load_level(db, series.id, nightly);
        if (nights.empty() || nights.back().nightly != nightly) continue;  // no run passed
        ++counts.series;
        pin(db, config, series, now_s);
        const NightValues tonight = nights.back();
        nights.pop_back();
        if (nights.empty()) {
            ++counts.first;
            continue;
        }
        std::vector<double> history;
        for (const auto& night : nights) history.push_back(night.value);
        const auto pinned = find_pinned(db, series.id);
        const double threshold = threshold_of(config.thresholds, series.metric);
        const auto judgement = detect::judge_night(
            {.history = history,
             .pinned =
                 pinned && pinned->nightly != nightly ? std::optional(pinned->value) : std::nullopt,
             .tonight = tonight.runs,
             .direction = series.direction,
             .threshold = threshold});
        const auto watched = find_watched_good(db, series.id, nightly, nights, judgement);
        const bool moved =
            judgement.finding == Finding::worse || judgement.finding == Finding::better;
        if (!moved && !watched) continue;
        const auto good =
            watched.value_or(good_night(nights, judgement.base, series.direction, threshold));
        const bool same = same_product(db, good.build, tonight.build);
        open_suspicion(db, series, nightly, good, judgement, same, now_s);
        ++counts.suspicions;
    }
    return counts;
}

}  // namespace vigil::service
