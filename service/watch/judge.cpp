#include "service/watch/judge.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/night.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/states.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/watch/asked_before.hpp"
#include "service/watch/benchmarks.hpp"
#include "service/watch/builds.hpp"
#include "service/watch/creep.hpp"
#include "service/watch/night_budget.hpp"
#include "service/watch/noisy.hpp"
#include "service/watch/series_state.hpp"
#include "service/watch/set_aside.hpp"
#include "service/watch/suspected.hpp"
#include "service/watch/values.hpp"
#include "service/watch/watched.hpp"

namespace vigil::service {

namespace {

// Nats from which on the shape of the newest nights opens a suspicion by itself.
constexpr double shape_bar = 4.5;

// The A of the A/B: the newest earlier night at the baseline's level (confirmation.md, section 2),
// within the series' noise where there is one; when none is, the newest.
const NightValues& good_night(
    const std::vector<NightValues>& earlier,
    double base,
    Direction direction,
    double threshold,
    double tolerance) {
    for (const double near : {std::expm1(tolerance), threshold / 2}) {
        for (auto night = earlier.rbegin(); night != earlier.rend(); ++night) {
            if (std::abs(change_ratio(base, night->value, direction)) <= near) return *night;
        }
    }
    return earlier.back();
}

bool has_moved(const detect::NightJudgement& judgement) {
    return judgement.finding == Finding::worse || judgement.finding == Finding::better;
}

// A sum of small changes speaks where tonight alone would not say as much: a step of tonight has
// the night before it as its good night, not one of weeks ago.
bool speaks_for_tonight(
    const SeriesCreep& creep, const detect::NightJudgement& judgement, double threshold) {
    constexpr double mostly = 0.8;
    constexpr double by_itself = 1.5;
    if (judgement.finding == Finding::better) return false;
    if (judgement.finding != Finding::worse) return true;
    return judgement.change_ratio < mostly * creep.creep.change_ratio &&
           judgement.change_ratio < by_itself * threshold;
}

void take_creep(
    const SeriesCreep& creep, NightlyId tonight, Direction direction, Suspected& suspected) {
    auto& judgement = suspected.judgement;
    suspected.is_creep = true;
    suspected.good = creep.good;
    judgement.base = creep.creep.base;
    judgement.change_ratio = change_ratio(judgement.base, judgement.value, direction);
    judgement.reason = creep.creep.reason;
    suspected.history.since = creep.since;
    suspected.history.earliest = creep.since;
    suspected.history.latest = tonight;
}

// An undecided night is held against tonight's build too, suspicious or not; one that waited for
// its turn only where tonight still looks like it. With a change of the old one's sign tonight's
// own judgement speaks.
std::optional<NightValues> find_watched_good(
    const GoingOn& before,
    const std::vector<NightValues>& earlier,
    const detect::NightJudgement& judgement,
    double threshold) {
    const bool same_way = (before.change_ratio > 0) == (judgement.change_ratio > 0);
    const bool still = std::abs(judgement.change_ratio) > threshold / 2;
    if (!same_way || !(before.was_measured || still)) return std::nullopt;
    for (const auto& night : earlier) {
        if (night.nightly == before.good_nightly) return night;
    }
    return std::nullopt;
}

// The night named by `pinned_version` becomes the pinned baseline of each series it measured.
void pin(Database& db, const ProjectConfig& config, const SeriesRow& series, std::int64_t now_s) {
    if (config.pinned_version.empty()) return;
    db.execute(
        "INSERT INTO baseline(series_id, kind, nightly_id, reason, created_at_s) "
        "SELECT ?1, 'pinned', n.id, 'pinned by the config', ?4 FROM night n "
        "WHERE n.project_id = ?2 AND (n.version = ?3 OR n.revision = ?3) AND NOT EXISTS ("
        "SELECT 1 FROM baseline b WHERE b.series_id = ?1 AND b.kind = 'pinned' "
        "AND b.nightly_id = n.id) ORDER BY n.id DESC LIMIT 1",
        series.id,
        series.project,
        config.pinned_version,
        now_s);
}

// One series of the night, before anything is asked of its history.
struct OnTrial {
    NightlyId nightly;
    SeriesValues tonight;
    FollowedNight followed;
    double threshold = 0;
    bool nights_can_tell = true;
    bool is_watched = false;  ///< the night before was undecided
    bool is_check = false;

    std::span<const double> earlier() const {
        const std::span level(followed.level);
        return level.first(level.empty() ? 0 : level.size() - 1);
    }
    // The newest nights together fit a step (docs/decisions/0013).
    bool is_suspect_by_shape() const { return followed.finding.suspicion >= shape_bar; }

    // What is remembered of a series says whether its nights have to be read at all.
    detect::NightJudgement judge() const {
        return detect::judge_night(
            {.history = earlier(),
             .tonight = tonight.runs,
             .direction = tonight.series.direction,
             .threshold = threshold,
             .explained = 0});
    }
};

bool is_quiet(Database& db, const OnTrial& trial, const detect::NightJudgement& judgement) {
    if (trial.is_watched || trial.is_check || trial.is_suspect_by_shape()) return false;
    return judgement.finding == Finding::same &&
           !may_creep(db, trial.tonight.series, trial.followed, trial.threshold);
}

// Whose turn it is when the night has no runs for all.
void weigh(
    Database& db,
    const OnTrial& trial,
    NightlyId nightly,
    const std::vector<NightValues>& nights,
    const std::optional<GoingOn>& before,
    bool goes_on,
    Suspected& suspected) {
    const auto& series = trial.tonight.series;
    suspected.moved = log_of_change(suspected.judgement.change_ratio);
    int seen = 1;
    if (before && goes_on && !before->was_measured) {
        seen += before->waited;
        suspected.moved += (before->moved - suspected.moved) * before->waited / seen;
    }
    suspected.chance = chance_of(nights, series, suspected.moved, seen, trial.threshold);
    // What was measured again says more than nights do.
    if (goes_on && before->above && before->change_ratio > 0) suspected.chance = *before->above;
    if (before) suspected.waited = before->waited;
    if (suspected.is_check) {
        suspected.waited = nights_unasked(db, series.id, nightly);
    }
}

// What the last session told is looked up only where two nights speak.
detect::NightJudgement judge_level(
    Database& db,
    const ProjectConfig& config,
    const OnTrial& trial,
    const std::vector<NightValues>& nights,
    std::span<const double> history) {
    const auto& [series, runs] = trial.tonight;
    detect::NightInput input;
    input.history = history;
    input.tonight = runs;
    input.direction = series.direction;
    input.threshold = trial.threshold;
    input.explained = 0;
    const auto judgement = detect::judge_night(input);
    if (!judgement.by_two) return judgement;
    input.explained = find_explained(db, config, series, trial.nightly, nights);
    return detect::judge_night(input);
}

// @param nights  of the level, without tonight; not empty
std::optional<Suspected> suspect(
    Database& db,
    const ProjectConfig& config,
    const OnTrial& trial,
    const std::vector<NightValues>& nights,
    const NightValues& tonight) {
    const auto& series = trial.tonight.series;
    const double threshold = trial.threshold;
    std::vector<double> history;
    for (const auto& night : nights) history.push_back(night.value);
    Suspected suspected;
    suspected.judgement = judge_level(db, config, trial, nights, history);
    const auto& judgement = suspected.judgement;
    const auto before = find_going_on(db, series.id, tonight.nightly);
    const auto watched =
        before ? find_watched_good(*before, nights, judgement, threshold) : std::nullopt;
    auto level = nights;
    level.push_back(tonight);
    auto creep = find_series_creep(db, series, level, threshold);
    if (creep && !speaks_for_tonight(*creep, judgement, threshold)) creep.reset();
    const bool moved = has_moved(judgement);
    const bool by_shape = !moved && judgement.change_ratio > 0 && trial.is_suspect_by_shape();
    suspected.is_check = trial.is_check;
    if (by_shape) suspected.judgement.reason += "; the newest nights together fit a step";
    if (!moved && !watched && !creep && !by_shape) {
        if (!suspected.is_check) return std::nullopt;
        suspected.judgement.reason =
            "the earlier nights are too few or scatter too much to tell; measured in turns all the "
            "same";
    }
    suspected.history = ask_history(db, series, tonight.nightly, trial.followed);
    if (watched) {
        suspected.good = *watched;
    } else if (creep) {
        take_creep(*creep, tonight.nightly, series.direction, suspected);
    } else {
        const double tolerance = detect::level_tolerance(history, threshold);
        auto usual = nights;
        if (judgement.by_two && usual.size() > 1) usual.pop_back();  // it is suspicious too
        suspected.good = good_night(usual, judgement.base, series.direction, threshold, tolerance);
    }
    weigh(db, trial, tonight.nightly, nights, before, watched.has_value(), suspected);
    return suspected;
}

// What waited for its turn and looks calm tonight is let go of, and not in silence.
void let_lapse(Database& db, const OnTrial& trial, NightlyId nightly, std::int64_t now_s) {
    const auto& series = trial.tonight.series;
    const auto before = find_going_on(db, series.id, nightly);
    if (!before || before->was_measured) return;
    record_event(
        db,
        now_s,
        "suspicion.lapsed",
        series.project,
        "nightly/" + to_string(nightly),
        fmt::format(
            "{}: waited for its turn since {:+.2f} %, and looks calm tonight",
            words_of(db, series),
            100 * before->change_ratio));
}

// Series that ended the night before with `watch`.
std::set<SeriesId> list_undecided(Database& db, NightlyId nightly) {
    std::set<SeriesId> undecided;
    auto rows = db.query(
        "SELECT series_id FROM suspicion WHERE kind = 'level' AND verdict = 'watch' "
        "AND nightly_id = (SELECT MAX(n.id) FROM night n JOIN nightly t ON t.id = ?1 "
        "AND n.project_id = t.project_id AND n.id < t.id WHERE n.state <> 'failed')",
        nightly);
    while (rows.next()) undecided.insert(rows.get<SeriesId>(0));
    return undecided;
}

bool is_judged(const ProjectConfig& config, Metric metric) {
    return std::find(config.judged.begin(), config.judged.end(), metric) != config.judged.end();
}

// Every judged series of the night that has earlier nights.
std::vector<OnTrial> put_on_trial(
    Database& db,
    const ProjectConfig& config,
    NightlyId nightly,
    NightCounts& counts,
    std::int64_t now_s) {
    std::vector<OnTrial> trials;
    auto measured = list_values_of(db, nightly);
    if (measured.empty()) return trials;
    SeriesStates states(db, measured.front().series.project, nightly);
    const auto undecided = list_undecided(db, nightly);
    std::vector<SeriesId> checkable;
    for (auto& values : measured) {
        const auto series = values.series;
        if (!is_judged(config, series.metric)) continue;
        OnTrial trial;
        trial.nightly = nightly;
        const auto trouble = try_alone(db, [&] {
            pin(db, config, series, now_s);
            trial.followed = states.follow(series, stats::median(values.runs));
        });
        if (trouble) {
            set_aside_series(db, series, nightly, *trouble, now_s);
            ++counts.set_aside;
            continue;
        }
        ++counts.series;
        trial.tonight = std::move(values);
        if (trial.followed.level.size() < 2) {
            ++counts.first;
            continue;
        }
        trial.threshold = threshold_of(config.thresholds, series.metric);
        trial.is_watched = undecided.contains(series.id);
        trial.nights_can_tell = !nights_cannot_tell(trial.earlier(), trial.threshold);
        if (!trial.nights_can_tell && measures_in_turns(db, config, series)) {
            checkable.push_back(series.id);
        }
        trials.push_back(std::move(trial));
    }
    const auto checks = choose_checks(db, nightly, checkable);
    for (auto& trial : trials) trial.is_check = checks.contains(trial.tonight.series.id);
    return trials;
}

// @param remembered  what the series' state says of tonight
// @return  whether a suspicion was opened
bool judge_series(
    Database& db,
    const ProjectConfig& config,
    const OnTrial& trial,
    const detect::NightJudgement& remembered,
    std::int64_t now_s) {
    if (is_quiet(db, trial, remembered)) return false;
    const auto& series = trial.tonight.series;
    auto nights = load_level(db, series.id, trial.nightly);
    if (nights.size() < 2 || nights.back().nightly != trial.nightly) return false;
    const NightValues tonight = nights.back();
    nights.pop_back();
    const auto suspected = suspect(db, config, trial, nights, tonight);
    if (!suspected) {
        let_lapse(db, trial, trial.nightly, now_s);
        return false;
    }
    const bool same = same_product(db, suspected->good.build, tonight.build);
    const bool moved = has_moved(suspected->judgement);
    if (same && suspected->is_check && !moved) return false;
    open_suspicion(db, series, trial.nightly, *suspected, same, now_s);
    return true;
}

}  // namespace

NightCounts judge_nightly(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    NightCounts counts;
    for (const auto& trial : put_on_trial(db, config, nightly, counts, now_s)) {
        const auto& series = trial.tonight.series;
        detect::NightJudgement remembered;
        bool opened = false;
        const auto trouble = try_alone(db, [&] {
            remembered = trial.judge();
            opened = judge_series(db, config, trial, remembered, now_s);
        });
        if (trouble) {
            set_aside_series(db, series, nightly, *trouble, now_s);
            --counts.series;
            ++counts.set_aside;
            continue;
        }
        if (kind_of(series.metric) == MetricKind::time && trial.nights_can_tell) {
            counts.moves.push_back(
                {series,
                 remembered.base,
                 remembered.change_ratio,
                 has_moved(remembered) && !remembered.by_two});
        }
        counts.suspicions += opened ? 1 : 0;
    }
    counts.set_aside += set_aside_unjudged(db, config, nightly, now_s);
    return counts;
}

}  // namespace vigil::service
