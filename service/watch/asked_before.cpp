#include "service/watch/asked_before.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/stats/summary.hpp"
#include "service/watch/benchmarks.hpp"
#include "service/watch/session.hpp"
#include "service/watch/watched.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t told_nights = 8;  // so long a session's finding is about the same change
constexpr std::size_t baseline_nights = 14;

bool in_turns(Database& db, const ProjectConfig& config, const SeriesRow& series) {
    const auto plan = find_benchmark(db, config, series.project, series.benchmark, series.variant);
    return plan.interleave > 1 && kind_of(series.metric) == MetricKind::time;
}

std::vector<double> levels_of(const std::vector<NightValues>& nights, Direction direction) {
    std::vector<double> levels;
    for (const auto& night : nights) levels.push_back(detect::badness(night.value, direction));
    return levels;
}

double baseline_before(const std::vector<double>& levels, std::size_t night) {
    const auto until = levels.begin() + static_cast<std::ptrdiff_t>(night);
    const auto count = static_cast<std::ptrdiff_t>(std::min(night, baseline_nights));
    if (count == 0) return levels[night];
    return stats::median(std::vector<double>(until - count, until));
}

struct SessionOfNight {
    NightlyId nightly;
    NightlyId good;
    SessionId session;
    Verdict verdict = Verdict::watch;
};

std::optional<SessionOfNight> find_newest_session(
    Database& db, SeriesId series, NightlyId tonight) {
    auto rows = db.query(
        "SELECT nightly_id, good_nightly_id, session_id, verdict FROM suspicion WHERE series_id = "
        "?1 "
        "AND nightly_id < ?2 AND kind = 'level' AND session_id IS NOT NULL "
        "AND verdict IS NOT NULL ORDER BY nightly_id DESC LIMIT 1",
        series,
        tonight);
    if (!rows.next()) return std::nullopt;
    return SessionOfNight{
        rows.get<NightlyId>(0),
        rows.get<NightlyId>(1),
        rows.get<SessionId>(2),
        rows.get<Verdict>(3)};
}

bool filed_nothing(Verdict verdict) {
    return verdict == Verdict::noise || verdict == Verdict::drift || verdict == Verdict::watch ||
           verdict == Verdict::environment;
}

}  // namespace

detect::SessionRules known_rules(
    Database& db, const ProjectConfig& config, const SeriesRow& series, NightlyId nightly) {
    detect::SessionRules rules;
    rules.direction = series.direction;
    rules.threshold = threshold_of(config.thresholds, series.metric);
    rules.kind = kind_of(series.metric);
    // Runs that measure in turns are quieter than the nights' own: the session learns by itself.
    if (!in_turns(db, config, series)) {
        const auto noise = run_noise(load_level(db, series.id, nightly), series.direction);
        rules.run_noise = noise.spread;
        rules.run_skew = noise.skew;
    }
    return rules;
}

std::optional<detect::Evidence> pool_watched(
    Database& db, SeriesId series, NightlyId nightly, NightlyId good, detect::SessionRules rules) {
    auto watched = list_watched(db, series, nightly, good);
    if (static_cast<int>(watched.size()) >= max_watched_nights) return std::nullopt;
    std::reverse(watched.begin(), watched.end());
    for (const auto& night : watched) {
        const auto runs = load_runs(db, night.session, series);
        const auto evidence = detect::judge_session(runs, rules).evidence;
        if (evidence.variance > 0) rules.earlier = evidence;
    }
    return rules.earlier;
}

std::optional<detect::LastSession> find_last_session(
    Database& db,
    const ProjectConfig& config,
    const SeriesRow& series,
    NightlyId tonight,
    const std::vector<NightValues>& nights) {
    const auto found = find_newest_session(db, series.id, tonight);
    if (!found || !filed_nothing(found->verdict)) return std::nullopt;
    // A night before the level, or one whose values are no longer trusted, tells nothing of it.
    const auto at = std::find_if(nights.begin(), nights.end(), [&](const auto& night) {
        return night.nightly == found->nightly;
    });
    if (at == nights.end()) return std::nullopt;
    const auto runs = load_runs(db, found->session, series.id);
    auto rules = known_rules(db, config, series, found->nightly);
    rules.earlier = pool_watched(db, series.id, found->nightly, found->good, rules);
    const auto judgement = detect::judge_session(runs, rules);
    detect::LastSession last;
    last.night = static_cast<std::size_t>(at - nights.begin());
    last.evidence = judgement.evidence;
    last.environment = found->verdict == Verdict::environment;
    const double error = std::sqrt(judgement.evidence.variance);
    last.change = std::max(0.0, judgement.evidence.change - error);
    if (!runs.empty() && !in_turns(db, config, series)) {
        const auto levels = levels_of(nights, series.direction);
        last.moved = judgement.level_of_old - baseline_before(levels, last.night);
    }
    return last;
}

std::optional<detect::Evidence> find_told(
    Database& db, const ProjectConfig& config, const SeriesRow& series, NightlyId tonight) {
    auto nights = load_level(db, series.id, tonight);
    if (!nights.empty() && nights.back().nightly == tonight) nights.pop_back();
    const auto last = find_last_session(db, config, series, tonight, nights);
    if (!last || last->environment || nights.size() - last->night > told_nights) {
        return std::nullopt;
    }
    return last->evidence;
}

std::optional<double> find_explained(
    Database& db,
    const ProjectConfig& config,
    const SeriesRow& series,
    NightlyId tonight,
    const std::vector<NightValues>& nights) {
    const auto asked = db.find<int>(
        "SELECT 1 FROM suspicion WHERE series_id = ?1 AND nightly_id = ?2 AND waits = ''",
        series.id,
        nights.back().nightly);
    if (asked) return std::nullopt;
    const auto levels = levels_of(nights, series.direction);
    const auto noise = detect::learn_series_noise(levels, run_noise(nights, series.direction));
    return detect::explained_move(
        levels,
        baseline_before(levels, levels.size()),
        noise,
        find_last_session(db, config, series, tonight, nights));
}

}  // namespace vigil::service
