#include "service/watch/night_budget.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "service/store/events.hpp"
#include "service/watch/session.hpp"

namespace vigil::service {

namespace {

// A suspicion that no session measures yet.
struct Waiting {
    SuspicionId id;
    SeriesId series;
    NightlyId good_nightly;
    bool by_outcome = false;  ///< it no longer runs
    detect::Asking asking;
};

std::vector<Waiting> list_waiting(Database& db, NightlyId nightly) {
    std::vector<Waiting> waiting;
    auto rows = db.query(
        "SELECT id, series_id, good_nightly_id, kind = 'outcome', chance, waited, "
        "is_check = 0 AND change_ratio <= 0 FROM suspicion "
        "WHERE nightly_id = ?1 AND state = 'open' ORDER BY id",
        nightly);
    while (rows.next()) {
        waiting.push_back(
            {rows.get<SuspicionId>(0),
             rows.get<SeriesId>(1),
             rows.get<NightlyId>(2),
             rows.get<bool>(3),
             {rows.get<double>(4), rows.get<int>(5), rows.get<bool>(6)}});
    }
    return waiting;
}

// What no longer runs, then the most valuable.
std::vector<Waiting> in_turn(std::vector<Waiting> waiting) {
    std::vector<detect::Asking> asking;
    for (const auto& one : waiting) asking.push_back(one.asking);
    std::vector<Waiting> ordered;
    for (const auto place : detect::rank(asking)) ordered.push_back(waiting[place]);
    std::stable_partition(
        ordered.begin(), ordered.end(), [](const auto& one) { return one.by_outcome; });
    return ordered;
}

// All open suspicions about what this session measures stand on it.
std::vector<SuspicionId> join(Database& db, SessionId session) {
    std::vector<SuspicionId> joined;
    auto rows = db.query(
        "SELECT u.id FROM session x JOIN suspicion u ON u.nightly_id = x.nightly_id "
        "AND u.state = 'open' JOIN nightly g ON g.id = u.good_nightly_id "
        "AND g.build_id = x.a_build_id JOIN series s ON s.id = u.series_id "
        "AND s.benchmark = x.benchmark AND s.variant = x.variant "
        "AND s.machine_class_id = x.machine_class_id WHERE x.id = ?1",
        session);
    while (rows.next()) joined.push_back(rows.get<SuspicionId>(0));
    for (const auto suspicion : joined) {
        db.execute(
            "UPDATE suspicion SET state = 'confirming', session_id = ?2 WHERE id = ?1",
            suspicion,
            session);
    }
    return joined;
}

}  // namespace

double chance_of(
    const std::vector<NightValues>& level,
    const SeriesRow& series,
    double moved,
    int nights,
    double threshold) {
    constexpr std::size_t nights_for_noise = 4;
    constexpr double usual_noise = 0.03;
    std::vector<double> levels;
    for (const auto& night : level) {
        levels.push_back(detect::badness(night.value, series.direction));
    }
    const auto noise = detect::learn_series_noise(levels, run_noise(level, series.direction));
    double spread = noise.night;
    const bool known =
        kind_of(series.metric) == MetricKind::memory || level.size() >= nights_for_noise;
    if (!known) spread = std::max(spread, usual_noise);
    return detect::chance_above(std::abs(moved), spread, std::log1p(threshold), nights);
}

detect::RunBudget load_budget(Database& db, const ProjectConfig& config, NightlyId nightly) {
    detect::RunBudget budget(config.confirm_runs_per_night);
    auto rows = db.query(
        "SELECT ifnull((SELECT x.state = 'open' FROM session x WHERE x.id = j.session_id), 0), "
        "sum(ifnull(json_array_length(j.plan, '$.steps'), 0)) FROM job j "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'confirm' "
        "AND j.state IN ('queued', 'leased', 'done') GROUP BY ifnull(j.session_id, 0)",
        nightly);
    while (rows.next()) {
        const int runs = rows.get<int>(1);
        rows.get<bool>(0) ? budget.count_open(runs) : budget.count_ended(runs);
    }
    return budget;
}

std::vector<SessionId> begin_sessions(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    std::vector<SessionId> begun;
    auto budget = load_budget(db, config, nightly);
    std::set<SuspicionId> joined;
    for (const auto& waiting : in_turn(list_waiting(db, nightly))) {
        if (joined.contains(waiting.id)) continue;
        if (waiting.by_outcome) {
            budget.count_open(0);
        } else if (!budget.begin()) {
            break;
        }
        begun.push_back(ensure_session(db, waiting.series, waiting.good_nightly, nightly, now_s));
        for (const auto suspicion : join(db, begun.back())) joined.insert(suspicion);
    }
    return begun;
}

void let_wait(Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    const auto waiting = in_turn(list_waiting(db, nightly));
    if (waiting.empty()) return;
    const int taken = load_budget(db, config, nightly).taken();
    const auto project =
        *db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly);
    for (std::size_t place = 0; place < waiting.size(); ++place) {
        const auto& one = waiting[place];
        const auto why = fmt::format(
            "number {} of {} that wait: {} of the night's {} runs for measuring again went to what "
            "was worth more than {:.3g} (a chance of {:.3g} that it is above the threshold, {} "
            "nights waited before)",
            place + 1,
            waiting.size(),
            taken,
            config.confirm_runs_per_night,
            detect::worth_of(one.asking),
            one.asking.chance,
            one.asking.waited);
        db.execute(
            "UPDATE suspicion SET state = 'ended', verdict = 'watch', waits = ?2, "
            "reason = reason || '; waits, ' || ?2, ended_at_s = ?3 WHERE id = ?1",
            one.id,
            why,
            now_s);
        record_event(db, now_s, "suspicion.waits", project, "suspicion/" + to_string(one.id), why);
    }
}

std::string runs_are_spent(const ProjectConfig& config) {
    return fmt::format(
        "the night's {} runs for measuring again are spent; it goes on with the next night",
        config.confirm_runs_per_night);
}

}  // namespace vigil::service
