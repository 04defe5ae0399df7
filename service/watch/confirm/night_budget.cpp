#include "service/watch/confirm/night_budget.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "service/watch/confirm/session.hpp"

namespace vigil::service {

namespace {

// A suspicion that no session measures yet.
struct Waiting {
    OpenSuspicion suspicion;
    detect::Asking asking;
};

std::vector<Waiting> list_waiting(Database& db, NightlyId nightly) {
    std::vector<Waiting> waiting;
    auto rows = db.query(
        "SELECT id, series_id, good_nightly_id, kind = 'outcome', chance, waited, "
        "asked IN ('better', 'recovered') FROM suspicion "
        "WHERE nightly_id = ?1 AND state = 'open' ORDER BY id",
        nightly);
    while (rows.next()) {
        OpenSuspicion suspicion{
            rows.get<SuspicionId>(0),
            rows.get<SeriesId>(1),
            nightly,
            rows.get<NightlyId>(2),
            std::nullopt,
            rows.get<bool>(3)};
        waiting.push_back({suspicion, {rows.get<double>(4), rows.get<int>(5), rows.get<bool>(6)}});
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
        ordered.begin(), ordered.end(), [](const auto& one) { return one.suspicion.by_outcome; });
    return ordered;
}

// All open suspicions about what this session measures stand on it.
std::vector<SuspicionId> join(Database& db, SessionId session) {
    std::vector<SuspicionId> joined;
    auto rows = db.query(
        "SELECT u.id FROM session x JOIN suspicion u ON u.nightly_id = x.nightly_id "
        "AND u.state = 'open' AND u.old_nights = x.old_nights JOIN series s ON s.id = u.series_id "
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
        if (joined.contains(waiting.suspicion.id)) continue;
        if (waiting.suspicion.by_outcome) {
            budget.count_open(0);
        } else if (!budget.begin()) {
            break;
        }
        begun.push_back(ensure_session(db, waiting.suspicion.id, now_s));
        for (const auto suspicion : join(db, begun.back())) joined.insert(suspicion);
    }
    return begun;
}

void let_wait(Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    const auto waiting = in_turn(list_waiting(db, nightly));
    if (waiting.empty()) return;
    const int taken = load_budget(db, config, nightly).taken();
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
        const auto answer = answer_unasked(db, one.suspicion, Verdict::watch);
        end_suspicion(
            db, one.suspicion, answer.value_or(detect::Answer{}), {}, "waits, " + why, now_s, why);
    }
}

std::string runs_are_spent(const ProjectConfig& config) {
    return fmt::format(
        "the night's {} runs for measuring again are spent; it goes on with the next night",
        config.confirm_runs_per_night);
}

}  // namespace vigil::service
