#include "service/watch/machines/canary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/detect/canary.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/canary.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/levels.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/steady.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/workers.hpp"
#include "service/watch/series/benchmarks.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

void hold(Database& db, const MovedCanary& moved, std::int64_t now_s) {
    const auto& check = moved.check;
    end_check(db, check, CanaryState::moved, moved.why, now_s);
    const auto words = fmt::format(
        "its canary moved in nightly {}, and again when measured once more: {}; look at the "
        "machine, then: vigil worker release {}",
        to_string(check.nightly),
        moved.why,
        check.worker_name);
    hold_worker(db, check.worker, words, now_s);
    const auto said = "worker " + check.worker_name + ": " + moved.why +
                      "; what it measured in nightly " + to_string(check.nightly) +
                      " is not judged";
    const auto subject = "worker/" + to_string(check.worker);
    record_event(db, now_s, "canary.moved", check.project, subject, said);
}

// What has a level since then already, or is still in question, goes on as it is.
int rebase_class(Database& db, const OpenCheck& check, NightlyId first, std::int64_t now_s) {
    const auto is_moved = [&](const SeriesRow& series) {
        if (series.machine_class != check.machine_class) return false;
        for (const auto& level : list_levels(db, series.id)) {
            if (level.first_night >= first) return false;
        }
        return !is_undecided_since(db, series.id, first);
    };
    const auto why = "machine class " + check.class_name + " moved and stayed";
    return begin_levels_of_times(db, check.nightly, first, why, is_moved, now_s);
}

// Ends these checks, which are all that moved in one night of one machine class, whose other
// checks have ended. Where another worker of the class was measured and stood still, each that
// moved is held, and what it measured that night is not judged. Else the class moved as one:
// nobody is held, A/B tells machine from source; when the night before said the same, the class's
// times begin new levels at that night, except those in question, and the charts begin anew
// (docs/decisions.md, 0021).
void end_moved(Database& db, const std::vector<MovedCanary>& moved, std::int64_t now_s) {
    if (moved.empty()) return;
    const auto& any = moved.front().check;
    if (!moved_as_one(moved, has_steady_check(db, any.nightly, any.machine_class))) {
        for (const auto& one : moved) hold(db, one, now_s);
        return;
    }
    std::optional<NightlyId> first;
    std::string workers;
    for (const auto& one : moved) {
        const auto before = find_class_move_before(db, one.check);
        if (before && (!first || *before < *first)) first = before;
        workers +=
            fmt::format("{}{} {}", workers.empty() ? "" : "; ", one.check.worker_name, one.why);
        end_check(db, one.check, CanaryState::learning, one.why + ", as its whole class", now_s);
    }
    const auto rebased = first ? rebase_class(db, any, *first, now_s) : 0;
    const auto what_follows =
        first ? fmt::format("it stays: {} times begin new levels, its charts too", rebased)
              : std::string("nobody is held; A/B tells it from source");
    const auto night = to_string(any.nightly);
    const auto words = fmt::format(
        "machine class {} moved in nightly {} ({}); {}",
        any.class_name,
        night,
        workers,
        what_follows);
    record_event(db, now_s, "canary.class_moved", any.project, "nightly/" + night, words);
}

constexpr std::int64_t longest_wait_s = 3600;

struct Canary {
    ProjectId project;
    BuildId build;
    BenchmarkPlan plan;
    int runs = 3;
    Metric metric = Metric::cpu_time_ns;
    std::string definition;
};

Metric judged_time(const ProjectConfig& project) {
    for (const auto metric : project.judged) {
        if (kind_of(metric) == MetricKind::time) return metric;
    }
    return Metric::cpu_time_ns;
}

// A nightly of the project by its version or revision, or else a revision that git has.
std::optional<BuildId> find_reference(
    Database& db,
    const ProjectConfig& config,
    ProjectId project,
    const std::string& wanted,
    std::int64_t now_s) {
    const auto build = find_build_of(db, project, wanted);
    const bool is_hash = (wanted.size() == 40 || wanted.size() == 64) &&
                         wanted.find_first_not_of("0123456789abcdef") == wanted.npos;
    if (build || !is_hash || why_no_revisions(config)) return build;
    return ensure_source_build(db, project, Revision(wanted), now_s);
}

const CanaryConfig* find_wanted(const Config& config, const std::string& class_name) {
    const auto found = config.machine_classes.find(class_name);
    if (found == config.machine_classes.end() || !found->second.canary) return nullptr;
    return &*found->second.canary;
}

// @return  nothing when its build is not known
std::optional<Canary> find_canary(
    Database& db,
    const Config& config,
    const CanaryConfig& wanted,
    MachineClassId machine_class,
    std::int64_t now_s) {
    const auto& project = config.projects.at(wanted.project);
    Canary canary;
    canary.project = ensure_project(db, wanted.project, now_s);
    const auto build = find_reference(db, project, canary.project, wanted.build, now_s);
    if (!build) return std::nullopt;
    canary.build = *build;
    const ClassVariant measured_as{wanted.benchmark, wanted.variant, machine_class};
    canary.plan = find_benchmark(db, project, canary.project, measured_as);
    canary.plan.benchmark = "canary." + wanted.benchmark;  // a series of its own
    canary.runs = wanted.runs;
    canary.metric = judged_time(project);
    auto measured = canary.plan;
    measured.limits = {};  // say nothing about what is measured
    canary.definition = wire::sha256(fmt::format(
                                         "{} {} {}",
                                         to_string(canary.build),
                                         to_string(canary.metric),
                                         wire::to_json(measured).dump()))
                            .str();
    return canary;
}

JobId ask(
    Database& db,
    const Canary& canary,
    NightlyId nightly,
    WorkerId worker,
    MachineClassId machine_class,
    std::int64_t now_s) {
    NewJob job;
    job.project = canary.project;
    job.machine_class = machine_class;
    job.purpose = Purpose::request;
    job.priority = Priority::confirm;
    job.nightly = nightly;
    job.only_worker = worker;
    job.builds = {canary.build};
    job.plan.benchmarks = {canary.plan};
    job.plan.steps.assign(static_cast<std::size_t>(canary.runs), Step{0, 0});
    return add_job(db, job, now_s);
}

// One for each worker that measured for this night, all of whose jobs have ended.
void open_checks(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s) {
    const auto& classes = config.machine_classes;
    const bool wanted = std::any_of(classes.begin(), classes.end(), [](const auto& one) {
        return one.second.canary.has_value();
    });
    if (!wanted || has_checks(db, nightly)) return;
    for (const auto& [worker, machine_class, class_name, last_seen_at_s] :
         list_measurers(db, nightly)) {
        const auto* chosen = find_wanted(config, class_name);
        if (chosen == nullptr) continue;
        const auto canary = find_canary(db, config, *chosen, machine_class, now_s);
        std::optional<JobId> job;
        std::string missing;
        if (!canary) {
            missing = "the project has no nightly " + chosen->build;
        } else if (last_seen_at_s <= seen_after_s(config.jobs, now_s)) {
            missing = "its worker was gone when the night had been measured";
        } else {
            job = ask(db, *canary, nightly, worker, machine_class, now_s);
        }
        const auto definition = canary ? canary->definition : "";
        add_check(db, nightly, worker, definition, job, missing, now_s);
    }
}

// Where it stands on its chart; the row says so.
detect::CanaryJudgement place(Database& db, const OpenCheck& check, const CheckValue& value) {
    auto judgement = detect::judge_canary(load_chart(db, check), value.value);
    CheckPlace place{value.series, value.value, std::nullopt, std::nullopt};
    if (judgement.knows) {
        place.base = judgement.base;
        place.moved_ratio = std::expm1(judgement.moved);
    }
    note_place(db, check, place);
    return judgement;
}

void judge_first(
    Database& db,
    const Canary& canary,
    const OpenCheck& check,
    const CheckValue& value,
    std::int64_t now_s) {
    const auto judgement = place(db, check, value);
    if (!judgement.knows || !judgement.off) {
        const auto state = judgement.knows ? CanaryState::steady : CanaryState::learning;
        end_check(db, check, state, judgement.reason, now_s);
        return;
    }
    const auto job = ask(db, canary, check.nightly, check.worker, check.machine_class, now_s);
    move_to_again(db, check, job, judgement.reason);
}

// @return  it, when it is off to the same side again; else its check has ended
std::optional<MovedCanary> judge_again(
    Database& db, const OpenCheck& check, const CheckValue& value, std::int64_t now_s) {
    const auto judgement = place(db, check, value);
    const bool up = judgement.moved > 0;
    if (judgement.off && check.moved_ratio && (*check.moved_ratio > 0) == up) {
        return MovedCanary{check, up, judgement.reason};
    }
    end_check(db, check, CanaryState::steady, judgement.reason, now_s);
    return std::nullopt;
}

// @return  whether its job still runs; one that nobody did in time has ended without a value
bool is_running(Database& db, OpenCheck& check, std::int64_t now_s) {
    if (check.job_state != JobState::queued && check.job_state != JobState::leased) return false;
    // Steady time: a clock that is set gives up no job.
    const auto since_s = check.job_waits_since_s;
    if (!since_s || load_steady_s(db) < *since_s + longest_wait_s) return true;
    cancel_job(db, check.job, now_s);
    check.job_state = JobState::cancelled;
    return false;
}

struct Looked {
    Canary canary;
    CheckValue value;  ///< in the middle of its runs
};

// What its job measured; without a value its check ends as missing.
std::optional<Looked> read_look(
    Database& db, const Config& config, const OpenCheck& check, std::int64_t now_s) {
    const auto* wanted = find_wanted(config, check.class_name);
    std::optional<Canary> canary;
    if (wanted != nullptr) {
        canary =
            find_canary(db, config, *wanted, ensure_machine_class(db, check.class_name), now_s);
    }
    std::vector<double> runs;
    SeriesId series;
    if (canary) {
        for (const auto& run : list_check_values(db, check, canary->metric)) {
            series = run.series;
            runs.push_back(run.value);
        }
    }
    if (!runs.empty()) return Looked{*canary, {series, stats::median(runs)}};
    const bool late = check.job_state == JobState::cancelled;
    const auto* why = late ? "it was not measured within an hour" : "none of its runs gave a value";
    end_check(db, check, CanaryState::missing, why, now_s);
    return std::nullopt;
}

// The second looks of a class are judged together, when all of it has been measured: whether one
// worker moved alone is seen by the others.
// @return  whether the class is still measured
bool judge_class(
    Database& db, const Config& config, std::vector<OpenCheck>& checks, std::int64_t now_s) {
    bool waiting = false;
    for (auto& check : checks) {
        waiting |= check.state == CanaryState::measuring || is_running(db, check, now_s);
    }
    if (waiting) return true;
    std::vector<MovedCanary> moved;
    for (const auto& check : checks) {
        const auto look = read_look(db, config, check, now_s);
        const auto one = look ? judge_again(db, check, look->value, now_s) : std::nullopt;
        if (one) moved.push_back(*one);
    }
    end_moved(db, moved, now_s);
    return false;
}

}  // namespace

bool check_canaries(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s) {
    open_checks(db, config, nightly, now_s);
    for (auto& check : list_open_checks(db, nightly)) {
        if (check.state != CanaryState::measuring || is_running(db, check, now_s)) continue;
        const auto look = read_look(db, config, check, now_s);
        if (look) judge_first(db, look->canary, check, look->value, now_s);
    }
    std::map<std::string, std::vector<OpenCheck>> classes;
    for (auto& check : list_open_checks(db, nightly)) {
        classes[check.class_name].push_back(std::move(check));
    }
    bool waiting = false;
    for (auto& [name, checks] : classes) waiting |= judge_class(db, config, checks, now_s);
    return waiting;
}

bool moved_as_one(const std::vector<MovedCanary>& moved, bool others_stood) {
    const bool one_way = std::all_of(
        moved.begin(), moved.end(), [&](const auto& one) { return one.up == moved.front().up; });
    return one_way && !others_stood;
}

}  // namespace vigil::service
