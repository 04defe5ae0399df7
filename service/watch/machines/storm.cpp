#include "service/watch/machines/storm.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "bisect/detect/rules.hpp"
#include "bisect/detect/storm.hpp"
#include "bisect/stats/summary.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/events.hpp"
#include "service/store/machines/storms.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/workers.hpp"
#include "service/watch/series/benchmarks.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/series/suspicions.hpp"

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
    job.plan.benchmarks = {find_benchmark(db, config, job.project, variant_of(move.series))};
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
    std::map<std::pair<ClassVariant, NightlyId>, JobId> asked;  // one run measures all its cases
    for (const auto* move : choose_checked(moves)) {
        const auto [known, is_new] =
            asked.try_emplace({variant_of(move->series), move->usual_night});
        if (is_new) known->second = ask_again(db, config, nightly, worker, *move, now_s);
        const auto job = known->second;
        add_checked_series(db, storm, move->series.id, job, move->base, move->change_ratio);
    }
    const auto words = fmt::format(
        "{} of {} series of one worker moved, by {:+.2f} % in the median: old builds are "
        "measured again",
        suspicious,
        moves.size(),
        100 * middle);
    const auto project = moves.front()->series.project;
    record_event(db, now_s, "storm.found", project, "storm/" + to_string(storm), words);
}

std::vector<detect::Remeasured> load_measured_again(Database& db, StormId storm) {
    std::map<SeriesId, std::vector<CheckedRun>> runs_of;
    for (const auto& run : list_checked_runs(db, storm)) runs_of[run.series].push_back(run);
    std::vector<detect::Remeasured> measured;
    for (const auto& [series, runs] : runs_of) {
        std::vector<double> values;
        for (const auto& run : runs) values.push_back(run.value);
        const auto& any = runs.front();
        const double again = change_ratio(any.base, stats::median(values), any.direction);
        measured.push_back({log_of_change(any.change_ratio), log_of_change(again)});
    }
    return measured;
}

StormState state_of(detect::StormCause cause) {
    switch (cause) {
        case detect::StormCause::environment: return StormState::environment;
        case detect::StormCause::code: return StormState::code;
        case detect::StormCause::mixed: break;
    }
    return StormState::mixed;
}

// Ends the checks of one night.
class StormCheck {
  public:
    StormCheck(
        Database& db,
        const ProjectConfig& config,
        const JobConfig& jobs,
        NightlyId nightly,
        std::int64_t now_s)
        : db_(db), config_(config), jobs_(jobs), nightly_(nightly), now_s_(now_s) {}

    // All of a night together: whether one worker moved alone is seen by the others.
    void judge(const std::vector<OpenStorm>& storms) {
        workers_ = list_workers_of(db_, nightly_);
        std::vector<OpenStorm> of_machines;
        for (const auto& storm : storms) {
            if (judge_one(storm)) of_machines.push_back(storm);
        }
        for (const auto& storm : of_machines) draw_consequence(storm);
    }

  private:
    bool is_of_worker(const OpenStorm& storm, const SeriesRow& series) const {
        const auto worker = workers_.find(variant_of(series));
        return worker != workers_.end() && worker->second == storm.worker;
    }

    // Open suspicions about times of this worker that say no more than that the machine moved end
    // here; the others go on, and an A/B on the same machine tells.
    void end_explained(const OpenStorm& storm, const detect::StormJudgement& judgement) {
        for (const auto& open : list_unended(db_, nightly_)) {
            const auto& series = open.series;
            if (open.session || open.by_outcome || kind_of(series.metric) != MetricKind::time) {
                continue;
            }
            const double threshold = threshold_of(config_, series);
            if (!is_explained(open.change_ratio, judgement.moved, threshold)) continue;
            if (!is_of_worker(storm, series)) continue;
            const auto why = "the machine moved: " + judgement.reason;
            const auto record = load_asking(db_, open);
            if (!record) {
                leave_suspicion(db_, open, why, now_s_);
                continue;
            }
            detect::SessionWord word;
            word.answer = detect::answer_without_runs(*record, Verdict::environment);
            word.answer.old_moved = judgement.moved;
            word.reason = why;
            answer_suspicion(db_, open, *record, word, now_s_);
        }
    }

    // A machine that moved for one night leaves the baselines alone; one that stays starts them
    // anew. @return how many
    int rebase(const OpenStorm& storm) {
        const auto first = find_stormy_night_before(db_, storm);
        if (!first) return 0;
        std::set<SeriesId> in_question;
        for (const auto& open : list_unended(db_, nightly_)) {
            if (!open.session) in_question.insert(open.series.id);
        }
        const auto why = "worker " + storm.worker_name + " moved and stayed";
        const auto is_moved = [&](const SeriesRow& series) {
            return is_of_worker(storm, series) && !in_question.contains(series.id);
        };
        return begin_levels_of_times(db_, nightly_, *first, why, is_moved, now_s_);
    }

    void end(
        const OpenStorm& storm, StormState state, double moved_ratio, const std::string& message) {
        end_storm(db_, storm.id, state, moved_ratio, message, now_s_);
        const auto words = fmt::format(
            "worker {}, {} of {} series suspicious: {}",
            storm.worker_name,
            storm.suspicious,
            storm.series,
            message);
        const auto kind = "storm." + std::string(to_string(state));
        record_event(db_, now_s_, kind, storm.project, "storm/" + to_string(storm.id), words);
    }

    // @return whether the machine moved
    bool judge_one(const OpenStorm& storm) {
        const auto measured = load_measured_again(db_, storm.id);
        if (measured.size() < detect::rule.storm_series / 2) {
            const auto words =
                fmt::format("given up: only {} series could be measured again", measured.size());
            end(storm, StormState::given_up, 0, words);
            return false;
        }
        const auto judgement = detect::judge_storm(measured);
        const bool machine = judgement.cause == detect::StormCause::environment;
        if (machine) end_explained(storm, judgement);
        const double moved_ratio = std::expm1(judgement.moved);
        end(storm, state_of(judgement.cause), moved_ratio, judgement.reason);
        return machine;
    }

    // A worker that alone moved no longer measures what its class does; a class that moved as one
    // starts new baselines once it stays. A peer that is gone does not say what the class measures
    // from here on.
    void draw_consequence(const OpenStorm& storm) {
        if (!has_calm_peer(db_, storm, detect::rule.storm_series, seen_after_s(jobs_, now_s_))) {
            note_rebased(db_, storm.id, rebase(storm));
            return;
        }
        const auto why = "its series moved together in nightly " + to_string(nightly_) +
                         " and its class stood still; look at the machine, then: vigil worker "
                         "release " +
                         storm.worker_name;
        hold_worker(db_, storm.worker, why, now_s_);
    }

    Database& db_;
    const ProjectConfig& config_;
    const JobConfig& jobs_;
    NightlyId nightly_;
    std::int64_t now_s_;
    std::map<ClassVariant, WorkerId> workers_;
};

}  // namespace

int find_storms(
    Database& db,
    const ProjectConfig& config,
    NightlyId nightly,
    const std::vector<SeriesMove>& moves,
    std::int64_t now_s) {
    const auto workers = list_workers_of(db, nightly);
    std::map<WorkerId, std::vector<const SeriesMove*>> by_worker;
    for (const auto& move : moves) by_worker[workers.at(variant_of(move.series))].push_back(&move);
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

bool is_explained(double change_ratio, double moved, double threshold) {
    return std::abs(log_of_change(change_ratio) - moved) <= std::log1p(threshold);
}

bool check_storms(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    NightlyId nightly,
    std::int64_t now_s) {
    const auto storms = list_checking(db, nightly);
    for (const auto& storm : storms) {
        if (is_measuring(db, storm.id)) return true;
    }
    if (!storms.empty()) StormCheck(db, config, jobs, nightly, now_s).judge(storms);
    return false;
}

}  // namespace vigil::service
