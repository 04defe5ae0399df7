#include "service/watch/storm.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "bisect/detect/storm.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/storm.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/events.hpp"
#include "service/watch/benchmarks.hpp"
#include "service/watch/nightlies.hpp"

namespace vigil::service {

namespace {

struct Storm {
    StormId id;
    WorkerId worker;
    std::string worker_name;
    int series = 0;
    int suspicious = 0;
};

// The worker that measured a series that night.
std::optional<WorkerId> worker_of(Database& db, NightlyId nightly, SeriesId series) {
    return db.find<WorkerId>(
        "SELECT r.worker_id FROM series s JOIN nightly n ON n.id = ?1 "
        "JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
        "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
        "JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt AND j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' WHERE s.id = ?2 ORDER BY r.id LIMIT 1",
        nightly,
        series);
}

double log_move(const SeriesMove& move) {
    return std::log1p(move.change_ratio);
}

// Those that moved, spread over all of them as they are listed; then those that moved furthest.
std::vector<const SeriesMove*> choose_checked(const std::vector<const SeriesMove*>& moves) {
    std::vector<const SeriesMove*> suspicious;
    std::vector<const SeriesMove*> others;
    for (const auto* move : moves) {
        if (log_move(*move) != 0) (move->suspicious ? suspicious : others).push_back(move);
    }
    constexpr std::size_t wanted = detect::storm_series;
    std::vector<const SeriesMove*> chosen;
    const std::size_t taken = std::min(wanted, suspicious.size());
    for (std::size_t i = 0; i < taken; ++i) {
        chosen.push_back(suspicious[i * suspicious.size() / taken]);
    }
    std::stable_sort(others.begin(), others.end(), [](const auto* a, const auto* b) {
        return std::abs(log_move(*a)) > std::abs(log_move(*b));
    });
    for (std::size_t i = 0; i < others.size() && chosen.size() < wanted; ++i) {
        chosen.push_back(others[i]);
    }
    return chosen;
}

JobId ask_again(
    Database& db,
    const ProjectConfig& config,
    NightlyId nightly,
    WorkerId worker,
    const SeriesMove& move,
    std::int64_t now_s) {
    NewJob job;
    job.project = move.series.project;
    job.machine_class = move.series.machine_class;
    job.purpose = Purpose::confirm;
    job.priority = static_cast<int>(Priority::confirm);
    job.nightly = nightly;
    job.only_worker = worker;
    job.builds = {move.good};
    job.plan.benchmarks = {
        find_benchmark(db, config, job.project, move.series.benchmark, move.series.variant)};
    job.plan.steps.assign(detect::storm_runs, {0, 0});
    return add_job(db, job, now_s);
}

void open_storm(
    Database& db,
    const ProjectConfig& config,
    NightlyId nightly,
    WorkerId worker,
    const std::vector<const SeriesMove*>& moves,
    int suspicious,
    std::int64_t now_s) {
    std::vector<double> logs;
    for (const auto* move : moves) logs.push_back(log_move(*move));
    const double middle = std::expm1(stats::median(logs));
    db.execute(
        "INSERT INTO storm(nightly_id, worker_id, state, series, suspicious, moved_ratio, "
        "created_at_s) VALUES (?1, ?2, 'checking', ?3, ?4, ?5, ?6)",
        nightly,
        worker,
        static_cast<int>(moves.size()),
        suspicious,
        middle,
        now_s);
    const StormId storm{db.last_insert_id()};
    for (const auto* move : choose_checked(moves)) {
        const auto job = ask_again(db, config, nightly, worker, *move, now_s);
        db.execute(
            "INSERT INTO storm_series(storm_id, series_id, job_id, base, change_ratio) "
            "VALUES (?1, ?2, ?3, ?4, ?5)",
            storm,
            move->series.id,
            job,
            move->base,
            move->change_ratio);
    }
    record_event(
        db,
        now_s,
        "storm.found",
        moves.front()->series.project,
        "storm/" + to_string(storm),
        fmt::format(
            "{} of {} series of one worker moved, in the middle by {:+.2f} %: old builds are "
            "measured again",
            suspicious,
            moves.size(),
            100 * middle));
}

std::vector<Storm> list_checking(Database& db, NightlyId nightly) {
    std::vector<Storm> storms;
    auto rows = db.query(
        "SELECT x.id, x.worker_id, w.name, x.series, x.suspicious FROM storm x "
        "JOIN worker w ON w.id = x.worker_id "
        "WHERE x.nightly_id = ?1 AND x.state = 'checking' ORDER BY x.id",
        nightly);
    while (rows.next()) {
        storms.push_back(
            {rows.get<StormId>(0),
             rows.get<WorkerId>(1),
             rows.get<std::string>(2),
             rows.get<int>(3),
             rows.get<int>(4)});
    }
    return storms;
}

bool is_waiting(Database& db, StormId storm) {
    return db
        .find<int>(
            "SELECT 1 FROM storm_series x JOIN job j ON j.id = x.job_id "
            "WHERE x.storm_id = ?1 AND j.state IN ('queued', 'leased') LIMIT 1",
            storm)
        .has_value();
}

std::vector<detect::Remeasured> load_measured_again(Database& db, StormId storm) {
    struct Again {
        double base = 0;
        double change_ratio = 0;
        std::vector<double> runs;
    };
    std::map<SeriesId, Again> found;
    auto rows = db.query(
        "SELECT x.series_id, x.base, x.change_ratio, m.median FROM storm_series x "
        "JOIN job j ON j.id = x.job_id AND j.state = 'done' "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = 'passed' "
        "JOIN measurement m ON m.run_id = r.id AND m.series_id = x.series_id "
        "WHERE x.storm_id = ?1 ORDER BY x.series_id, r.step",
        storm);
    while (rows.next()) {
        auto& again = found[rows.get<SeriesId>(0)];
        again.base = rows.get<double>(1);
        again.change_ratio = rows.get<double>(2);
        again.runs.push_back(rows.get<double>(3));
    }
    std::vector<detect::Remeasured> measured;
    for (const auto& [series, again] : found) {
        const auto direction = load_series(db, series).direction;
        const double moved = change_ratio(again.base, stats::median(again.runs), direction);
        measured.push_back({std::log1p(again.change_ratio), std::log1p(moved)});
    }
    return measured;
}

struct OpenTime {
    SuspicionId suspicion;
    SeriesRow series;
    double change_ratio = 0;
};

// The open suspicions of the night about times that this worker measured.
std::vector<OpenTime> list_open_times(Database& db, NightlyId nightly, WorkerId worker) {
    std::vector<OpenTime> open;
    auto rows = db.query(
        "SELECT id, series_id, change_ratio FROM suspicion "
        "WHERE nightly_id = ?1 AND state = 'open' AND kind = 'level' ORDER BY id",
        nightly);
    while (rows.next()) {
        auto series = load_series(db, rows.get<SeriesId>(1));
        if (kind_of(series.metric) != MetricKind::time) continue;
        if (worker_of(db, nightly, series.id) != worker) continue;
        open.push_back({rows.get<SuspicionId>(0), std::move(series), rows.get<double>(2)});
    }
    return open;
}

// Suspicions that say no more than that the machine moved end here; the others go on, and an A/B on
// the same machine tells.
void end_explained(
    Database& db,
    const ProjectConfig& config,
    NightlyId nightly,
    const Storm& storm,
    const detect::StormJudgement& judgement,
    std::int64_t now_s) {
    for (const auto& open : list_open_times(db, nightly, storm.worker)) {
        const double rest = std::log1p(open.change_ratio) - judgement.moved;
        const double threshold = threshold_of(config.thresholds, open.series.metric);
        if (std::abs(rest) > std::log1p(threshold)) continue;
        db.execute(
            "UPDATE suspicion SET state = 'ended', verdict = 'environment', ended_at_s = ?3, "
            "reason = reason || '; the machine moved: ' || ?2 WHERE id = ?1",
            open.suspicion,
            judgement.reason,
            now_s);
    }
}

// The storm of the night before on this worker, when the machine had moved then too.
std::optional<NightlyId> stormy_night_before(Database& db, NightlyId nightly, WorkerId worker) {
    return db.find<NightlyId>(
        "SELECT x.nightly_id FROM storm x WHERE x.worker_id = ?2 AND x.state = 'environment' "
        "AND x.nightly_id = (SELECT MAX(o.id) FROM nightly o, nightly n WHERE n.id = ?1 "
        "AND o.project_id = n.project_id AND o.id < n.id AND o.state = 'done')",
        nightly,
        worker);
}

// A machine that moved for one night leaves the baselines alone; one that stays starts them anew.
// @return how many
int rebase(Database& db, NightlyId nightly, const Storm& storm, std::int64_t now_s) {
    const auto first = stormy_night_before(db, nightly, storm.worker);
    if (!first) return 0;
    int rebased = 0;
    for (const auto& series : list_series_of(db, nightly)) {
        if (kind_of(series.metric) != MetricKind::time) continue;
        if (worker_of(db, nightly, series.id) != storm.worker) continue;
        const auto in_question = db.find<int>(
            "SELECT 1 FROM suspicion WHERE nightly_id = ?1 AND series_id = ?2 AND state = 'open'",
            nightly,
            series.id);
        if (in_question) continue;
        const auto words = "worker " + storm.worker_name + " moved and stayed";
        restart_baseline(db, series.id, *first, words, now_s);
        ++rebased;
    }
    return rebased;
}

StormState state_of(detect::StormCause cause) {
    switch (cause) {
        case detect::StormCause::environment: return StormState::environment;
        case detect::StormCause::code: return StormState::code;
        case detect::StormCause::mixed: break;
    }
    return StormState::mixed;
}

void end_storm(
    Database& db,
    ProjectId project,
    const Storm& storm,
    StormState state,
    double moved_ratio,
    int rebased,
    const std::string& message,
    std::int64_t now_s) {
    db.execute(
        "UPDATE storm SET state = ?2, moved_ratio = ?3, rebased = ?4, message = ?5, "
        "ended_at_s = ?6 WHERE id = ?1",
        storm.id,
        state,
        moved_ratio,
        rebased,
        message,
        now_s);
    record_event(
        db,
        now_s,
        "storm." + std::string(to_string(state)),
        project,
        "storm/" + to_string(storm.id),
        fmt::format(
            "worker {}, {} of {} series suspicious: {}",
            storm.worker_name,
            storm.suspicious,
            storm.series,
            message));
}

void judge_checked(
    Database& db,
    const ProjectConfig& config,
    NightlyId nightly,
    const Storm& storm,
    std::int64_t now_s) {
    const auto project =
        *db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly);
    const auto measured = load_measured_again(db, storm.id);
    if (measured.size() < detect::storm_series / 2) {
        const auto words =
            fmt::format("given up: only {} series could be measured again", measured.size());
        end_storm(db, project, storm, StormState::given_up, 0, 0, words, now_s);
        return;
    }
    const auto judgement = detect::judge_storm(measured);
    int rebased = 0;
    if (judgement.cause == detect::StormCause::environment) {
        end_explained(db, config, nightly, storm, judgement, now_s);
        rebased = rebase(db, nightly, storm, now_s);
    }
    end_storm(
        db,
        project,
        storm,
        state_of(judgement.cause),
        std::expm1(judgement.moved),
        rebased,
        judgement.reason,
        now_s);
}

}  // namespace

int find_storms(
    Database& db,
    const ProjectConfig& config,
    NightlyId nightly,
    const std::vector<SeriesMove>& moves,
    std::int64_t now_s) {
    std::map<WorkerId, std::vector<const SeriesMove*>> by_worker;
    for (const auto& move : moves) {
        const auto worker = worker_of(db, nightly, move.series.id);
        if (worker) by_worker[*worker].push_back(&move);
    }
    int storms = 0;
    for (const auto& [worker, own] : by_worker) {
        std::vector<double> logs;
        int suspicious = 0;
        for (const auto* move : own) {
            logs.push_back(log_move(*move));
            suspicious += move->suspicious ? 1 : 0;
        }
        if (!detect::looks_like_storm(logs, suspicious)) continue;
        open_storm(db, config, nightly, worker, own, suspicious, now_s);
        ++storms;
    }
    return storms;
}

bool check_storms(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    bool waiting = false;
    for (const auto& storm : list_checking(db, nightly)) {
        if (is_waiting(db, storm.id)) {
            waiting = true;
        } else {
            judge_checked(db, config, nightly, storm, now_s);
        }
    }
    return waiting;
}

}  // namespace vigil::service
