#include "service/watch/machines/storm.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "bisect/detect/rules.hpp"
#include "bisect/detect/storm.hpp"
#include "bisect/stats/summary.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/events.hpp"
#include "service/store/machines/storms.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

double log_move(const SeriesMove& move) {
    return log_of_change(move.change_ratio);
}

// Those that moved, spread over all of them as they are listed; then those that moved furthest.
std::vector<const SeriesMove*> choose_checked(const std::vector<const SeriesMove*>& moves) {
    std::vector<const SeriesMove*> suspicious;
    std::vector<const SeriesMove*> others;
    for (const auto* move : moves) {
        if (log_move(*move) != 0) (move->suspicious ? suspicious : others).push_back(move);
    }
    constexpr std::size_t wanted = detect::rule.storm_series;
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
    job.priority = Priority::confirm;
    job.nightly = nightly;
    job.only_worker = worker;
    job.builds = {build_of(db, move.usual_night)};
    job.plan.benchmarks = {
        find_benchmark(db, config, job.project, move.series.benchmark, move.series.variant)};
    job.plan.steps.assign(detect::rule.storm_runs, {0, 0});
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
    const int series = static_cast<int>(moves.size());
    const auto storm = add_storm(db, {nightly, worker, series, suspicious, middle}, now_s);
    for (const auto* move : choose_checked(moves)) {
        const auto job = ask_again(db, config, nightly, worker, *move, now_s);
        add_checked_series(db, storm, move->series.id, job, move->base, move->change_ratio);
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

}  // namespace vigil::service
