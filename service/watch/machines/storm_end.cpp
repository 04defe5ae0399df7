#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "bisect/detect/storm.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/storm.hpp"
#include "service/store/events.hpp"
#include "service/store/workers.hpp"
#include "service/watch/machines/storm.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/series/suspicions.hpp"

// What becomes of a storm whose old builds have been measured again.

namespace vigil::service {

namespace {

struct Storm {
    StormId id;
    WorkerId worker;
    std::string worker_name;
    int series = 0;
    int suspicious = 0;
};

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
        "JOIN judged_measurement m ON m.run_id = r.id AND m.series_id = x.series_id "
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
        measured.push_back({log_of_change(again.change_ratio), log_of_change(moved)});
    }
    return measured;
}

struct OpenTime {
    OpenSuspicion suspicion;
    SeriesRow series;
    double change_ratio = 0;
};

// The open suspicions of the night about times that this worker measured.
std::vector<OpenTime> list_open_times(Database& db, NightlyId nightly, WorkerId worker) {
    std::vector<OpenTime> open;
    auto rows = db.query(
        "SELECT id, series_id, change_ratio, good_nightly_id FROM suspicion "
        "WHERE nightly_id = ?1 AND state = 'open' AND kind = 'level' ORDER BY id",
        nightly);
    while (rows.next()) {
        auto series = load_series(db, rows.get<SeriesId>(1));
        if (kind_of(series.metric) != MetricKind::time) continue;
        if (worker_of(db, nightly, series.id) != worker) continue;
        const OpenSuspicion suspicion{
            rows.get<SuspicionId>(0), series.id, nightly, rows.get<NightlyId>(3), {}, false};
        open.push_back({suspicion, std::move(series), rows.get<double>(2)});
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
        const double rest = log_of_change(open.change_ratio) - judgement.moved;
        const double threshold = threshold_of(config.thresholds, open.series.metric);
        if (std::abs(rest) > std::log1p(threshold)) continue;
        auto answer = answer_unasked(db, open.suspicion, Verdict::environment);
        if (answer) answer->old_moved = judgement.moved;
        end_suspicion(
            db,
            open.suspicion,
            answer.value_or(detect::Answer{}),
            {},
            "the machine moved: " + judgement.reason,
            now_s);
    }
}

// The storm of the night before on this worker, when the machine had moved then too.
std::optional<NightlyId> stormy_night_before(Database& db, NightlyId nightly, WorkerId worker) {
    return db.find<NightlyId>(
        "SELECT x.nightly_id FROM storm x WHERE x.worker_id = ?2 AND x.state = 'environment' "
        "AND x.nightly_id = (SELECT MAX(o.id) FROM night o, nightly n WHERE n.id = ?1 "
        "AND o.project_id = n.project_id AND o.id < n.id AND o.state = 'done') "
        "AND NOT EXISTS (SELECT 1 FROM left_out l WHERE l.nightly_id = x.nightly_id "
        "AND l.worker_id IN (0, ?2))",
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
        begin_level(db, series.id, *first, words, now_s);
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
    const std::string& message,
    std::int64_t now_s) {
    db.execute(
        "UPDATE storm SET state = ?2, moved_ratio = ?3, message = ?4, ended_at_s = ?5 "
        "WHERE id = ?1",
        storm.id,
        state,
        moved_ratio,
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

// @return whether the machine moved
bool judge_checked(
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
        end_storm(db, project, storm, StormState::given_up, 0, words, now_s);
        return false;
    }
    const auto judgement = detect::judge_storm(measured);
    const bool machine = judgement.cause == detect::StormCause::environment;
    if (machine) end_explained(db, config, nightly, storm, judgement, now_s);
    end_storm(
        db,
        project,
        storm,
        state_of(judgement.cause),
        std::expm1(judgement.moved),
        judgement.reason,
        now_s);
    return machine;
}

// Whether another worker of the class measured as many series that night and stood still. One that
// is gone does not say what the class measures from here on.
bool others_stood(
    Database& db, const JobConfig& jobs, NightlyId nightly, WorkerId moved, std::int64_t now_s) {
    return db
        .find<int>(
            "SELECT 1 FROM worker m JOIN worker o ON o.machine_class_id = m.machine_class_id "
            "AND o.id <> m.id AND o.state = 'active' AND o.last_seen_at_s > ?4 WHERE m.id = ?2 "
            "AND NOT EXISTS (SELECT 1 FROM storm x WHERE x.nightly_id = ?1 "
            "AND x.worker_id = o.id AND x.state = 'environment') "
            "AND (SELECT COUNT(DISTINCT y.series_id) FROM job j JOIN run r ON r.job_id = j.id "
            "AND r.attempt = j.attempt AND r.worker_id = o.id "
            "JOIN judged_measurement y ON y.run_id = r.id "
            "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly') >= ?3 LIMIT 1",
            nightly,
            moved,
            detect::storm_series,
            seen_after_s(jobs, now_s))
        .has_value();
}

// A worker that alone moved no longer measures what its class does; a class that moved as one
// starts new baselines once it stays.
void draw_consequence(
    Database& db,
    const JobConfig& jobs,
    NightlyId nightly,
    const Storm& storm,
    std::int64_t now_s) {
    if (others_stood(db, jobs, nightly, storm.worker, now_s)) {
        const auto why = "its series moved together in nightly " + to_string(nightly) +
                         " and its class stood still; look at the machine, then: vigil worker "
                         "release " +
                         storm.worker_name;
        hold_worker(db, storm.worker, why, now_s);
        return;
    }
    db.execute(
        "UPDATE storm SET rebased = ?2 WHERE id = ?1", storm.id, rebase(db, nightly, storm, now_s));
}

}  // namespace

bool check_storms(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    NightlyId nightly,
    std::int64_t now_s) {
    // All of a night together: whether one worker moved alone is seen by the others.
    const auto storms = list_checking(db, nightly);
    for (const auto& storm : storms) {
        if (is_waiting(db, storm.id)) return true;
    }
    std::vector<Storm> of_machines;
    for (const auto& storm : storms) {
        if (judge_checked(db, config, nightly, storm, now_s)) of_machines.push_back(storm);
    }
    for (const auto& storm : of_machines) draw_consequence(db, jobs, nightly, storm, now_s);
    return false;
}

}  // namespace vigil::service
