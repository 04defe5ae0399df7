#include "service/watch/machines/storm_end.hpp"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/rules.hpp"
#include "bisect/detect/storm.hpp"
#include "bisect/stats/summary.hpp"
#include "service/store/events.hpp"
#include "service/store/machines/storms.hpp"
#include "service/store/workers.hpp"
#include "service/watch/machines/new_levels.hpp"
#include "service/watch/series/suspicions.hpp"

namespace vigil::service {

namespace {

std::vector<detect::Remeasured> load_measured_again(Database& db, StormId storm) {
    std::vector<detect::Remeasured> measured;
    for (const auto& series : list_checked_series(db, storm)) {
        const double again =
            change_ratio(series.base, stats::median(series.runs), series.direction);
        measured.push_back({log_of_change(series.change_ratio), log_of_change(again)});
    }
    return measured;
}

bool is_of_worker(Database& db, const OpenStorm& storm, const SeriesRow& series) {
    return worker_of(db, storm.nightly, series.id) == storm.worker;
}

// Open suspicions about times of this worker that say no more than that the machine moved end here;
// the others go on, and an A/B on the same machine tells.
void end_explained(
    Database& db,
    const ProjectConfig& config,
    const OpenStorm& storm,
    const detect::StormJudgement& judgement,
    std::int64_t now_s) {
    for (const auto& open : list_unended(db, storm.nightly)) {
        const auto& series = open.series;
        if (open.session || open.by_outcome || kind_of(series.metric) != MetricKind::time) continue;
        const double threshold = threshold_of(config.thresholds, series.metric);
        if (!is_explained(open.change_ratio, judgement.moved, threshold)) continue;
        if (!is_of_worker(db, storm, series)) continue;
        const auto why = "the machine moved: " + judgement.reason;
        const auto record = load_asking(db, open);
        if (!record) {
            leave_suspicion(db, open, why, now_s);
            continue;
        }
        detect::SessionWord word;
        word.answer = detect::answer_without_runs(*record, Verdict::environment);
        word.answer.old_moved = judgement.moved;
        word.reason = why;
        answer_suspicion(db, open, *record, word, now_s);
    }
}

// A machine that moved for one night leaves the baselines alone; one that stays starts them anew.
// @return how many
int rebase(Database& db, const OpenStorm& storm, std::int64_t now_s) {
    const auto first = find_stormy_night_before(db, storm);
    if (!first) return 0;
    std::set<SeriesId> in_question;
    for (const auto& open : list_unended(db, storm.nightly)) {
        if (!open.session) in_question.insert(open.series.id);
    }
    const auto why = "worker " + storm.worker_name + " moved and stayed";
    const auto is_moved = [&](const SeriesRow& series) {
        return is_of_worker(db, storm, series) && !in_question.contains(series.id);
    };
    return begin_levels_of_times(db, storm.nightly, *first, why, is_moved, now_s);
}

StormState state_of(detect::StormCause cause) {
    switch (cause) {
        case detect::StormCause::environment: return StormState::environment;
        case detect::StormCause::code: return StormState::code;
        case detect::StormCause::mixed: break;
    }
    return StormState::mixed;
}

void tell_end(
    Database& db,
    const OpenStorm& storm,
    StormState state,
    double moved_ratio,
    const std::string& message,
    std::int64_t now_s) {
    end_storm(db, storm.id, state, moved_ratio, message, now_s);
    record_event(
        db,
        now_s,
        "storm." + std::string(to_string(state)),
        storm.project,
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
    Database& db, const ProjectConfig& config, const OpenStorm& storm, std::int64_t now_s) {
    const auto measured = load_measured_again(db, storm.id);
    if (measured.size() < detect::rule.storm_series / 2) {
        const auto words =
            fmt::format("given up: only {} series could be measured again", measured.size());
        tell_end(db, storm, StormState::given_up, 0, words, now_s);
        return false;
    }
    const auto judgement = detect::judge_storm(measured);
    const bool machine = judgement.cause == detect::StormCause::environment;
    if (machine) end_explained(db, config, storm, judgement, now_s);
    const double moved_ratio = std::expm1(judgement.moved);
    tell_end(db, storm, state_of(judgement.cause), moved_ratio, judgement.reason, now_s);
    return machine;
}

// A worker that alone moved no longer measures what its class does; a class that moved as one
// starts new baselines once it stays. A peer that is gone does not say what the class measures from
// here on.
void draw_consequence(
    Database& db, const JobConfig& jobs, const OpenStorm& storm, std::int64_t now_s) {
    if (!has_calm_peer(db, storm, detect::rule.storm_series, seen_after_s(jobs, now_s))) {
        note_rebased(db, storm.id, rebase(db, storm, now_s));
        return;
    }
    const auto why = "its series moved together in nightly " + to_string(storm.nightly) +
                     " and its class stood still; look at the machine, then: vigil worker "
                     "release " +
                     storm.worker_name;
    hold_worker(db, storm.worker, why, now_s);
}

}  // namespace

bool is_explained(double change_ratio, double moved, double threshold) {
    return std::abs(log_of_change(change_ratio) - moved) <= std::log1p(threshold);
}

bool check_storms(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    NightlyId nightly,
    std::int64_t now_s) {
    // All of a night together: whether one worker moved alone is seen by the others.
    const auto storms = list_checking(db, nightly);
    for (const auto& storm : storms) {
        if (is_measuring(db, storm.id)) return true;
    }
    std::vector<OpenStorm> of_machines;
    for (const auto& storm : storms) {
        if (judge_checked(db, config, storm, now_s)) of_machines.push_back(storm);
    }
    for (const auto& storm : of_machines) draw_consequence(db, jobs, storm, now_s);
    return false;
}

}  // namespace vigil::service
