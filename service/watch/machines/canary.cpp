#include "service/watch/machines/canary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/detect/canary.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/canary.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/ids.hpp"
#include "service/store/steady.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/workers.hpp"
#include "service/watch/machines/canary_class.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

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
    const auto nightly = db.find<BuildId>(
        "SELECT build_id FROM nightly WHERE id IN (SELECT id FROM nightly WHERE project_id = ?1 "
        "AND version = ?2 UNION SELECT id FROM nightly WHERE +project_id = ?1 AND revision = ?2) "
        "ORDER BY id LIMIT 1",
        project,
        wanted);
    const bool is_hash = (wanted.size() == 40 || wanted.size() == 64) &&
                         wanted.find_first_not_of("0123456789abcdef") == wanted.npos;
    if (nightly || config.source.kind != SourceKind::git || !is_hash) return nightly;
    return ensure_source_build(db, project, Revision(wanted), now_s);
}

// @return  nothing when its build is not known
std::optional<Canary> find_canary(
    Database& db, const Config& config, const CanaryConfig& wanted, std::int64_t now_s) {
    const auto& project = config.projects.at(wanted.project);
    Canary canary;
    canary.project = ensure_project(db, wanted.project, now_s);
    const auto build = find_reference(db, project, canary.project, wanted.build, now_s);
    if (!build) return std::nullopt;
    canary.build = *build;
    canary.plan = find_benchmark(db, project, canary.project, wanted.benchmark, wanted.variant);
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

struct Check {
    CanaryCheckId id;
    WorkerId worker;
    std::string worker_name;
    std::string machine_class;
    CanaryState state = CanaryState::measuring;
    std::optional<JobId> job;
    std::string definition;
};

std::vector<Check> list_open_checks(Database& db, NightlyId nightly) {
    std::vector<Check> checks;
    auto rows = db.query(
        "SELECT k.id, k.worker_id, w.name, c.name, k.state, k.job_id, k.definition "
        "FROM canary_check k JOIN worker w ON w.id = k.worker_id "
        "JOIN machine_class c ON c.id = w.machine_class_id "
        "WHERE k.nightly_id = ?1 AND k.state IN ('measuring', 'again') ORDER BY k.id",
        nightly);
    while (rows.next()) {
        checks.push_back(
            {rows.get<CanaryCheckId>(0),
             rows.get<WorkerId>(1),
             rows.get<std::string>(2),
             rows.get<std::string>(3),
             rows.get<CanaryState>(4),
             rows.get<std::optional<JobId>>(5),
             rows.get<std::string>(6)});
    }
    return checks;
}

JobId ask(
    Database& db, const Canary& canary, NightlyId nightly, WorkerId worker, std::int64_t now_s) {
    NewJob job;
    job.project = canary.project;
    job.machine_class =
        *db.find<MachineClassId>("SELECT machine_class_id FROM worker WHERE id = ?1", worker);
    job.purpose = Purpose::request;
    job.priority = Priority::confirm;
    job.nightly = nightly;
    job.only_worker = worker;
    job.builds = {canary.build};
    job.plan.benchmarks = {canary.plan};
    job.plan.steps.assign(static_cast<std::size_t>(canary.runs), Step{0, 0});
    return add_job(db, job, now_s);
}

void end(
    Database& db,
    const Check& check,
    CanaryState state,
    const std::string& why,
    std::int64_t now_s) {
    db.execute(
        "UPDATE canary_check SET state = ?2, message = ?3, ended_at_s = ?4 WHERE id = ?1",
        check.id,
        state,
        why,
        now_s);
}

// A row for each worker that measured for this night, all of whose jobs have ended.
void open_checks(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s) {
    const auto& classes = config.machine_classes;
    const bool wanted = std::any_of(classes.begin(), classes.end(), [](const auto& one) {
        return one.second.canary.has_value();
    });
    const bool asked =
        db.find<int>("SELECT 1 FROM canary_check WHERE nightly_id = ?1 LIMIT 1", nightly)
            .has_value();
    if (!wanted || asked) return;
    struct Measured {
        WorkerId worker;
        std::string machine_class;
        bool is_there = false;
    };
    std::vector<Measured> workers;
    {
        auto rows = db.query(
            "SELECT DISTINCT w.id, c.name, w.last_seen_at_s > ?2 FROM job j "
            "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
            "JOIN worker w ON w.id = r.worker_id JOIN machine_class c ON c.id = w.machine_class_id "
            "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND w.state = 'active' "
            "ORDER BY w.id",
            nightly,
            seen_after_s(config.jobs, now_s));
        while (rows.next()) {
            workers.push_back({rows.get<WorkerId>(0), rows.get<std::string>(1), rows.get<bool>(2)});
        }
    }
    for (const auto& [worker, class_name, is_there] : workers) {
        const auto found = config.machine_classes.find(class_name);
        if (found == config.machine_classes.end() || !found->second.canary) continue;
        const auto canary = find_canary(db, config, *found->second.canary, now_s);
        std::optional<JobId> job;
        std::string missing;
        if (!canary) missing = "the project has no nightly " + found->second.canary->build;
        if (canary && !is_there) missing = "its worker was gone when the night had been measured";
        if (missing.empty()) job = ask(db, *canary, nightly, worker, now_s);
        db.execute(
            "INSERT INTO canary_check(nightly_id, worker_id, definition, state, job_id, message, "
            "created_at_s, ended_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            nightly,
            worker,
            canary ? canary->definition : "",
            job ? CanaryState::measuring : CanaryState::missing,
            job,
            missing,
            now_s,
            job ? std::nullopt : std::optional(now_s));
    }
}

struct Value {
    SeriesId series;
    double median = 0;
};

std::optional<Value> value_of(Database& db, JobId job, Metric metric) {
    std::optional<SeriesId> series;
    std::vector<double> values;
    auto rows = db.query(
        "SELECT m.series_id, m.median FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt AND r.outcome = 'passed' "
        "JOIN judged_measurement m ON m.run_id = r.id JOIN series s ON s.id = m.series_id "
        "AND s.metric = ?2 WHERE j.id = ?1 AND j.state = 'done' ORDER BY r.step",
        job,
        metric);
    while (rows.next()) {
        series = rows.get<SeriesId>(0);
        values.push_back(rows.get<double>(1));
    }
    if (!series || !(stats::median(values) > 0)) return std::nullopt;
    return Value{*series, stats::median(values)};
}

// Since the chart began: with this definition, when its worker was last held by it, or when it
// moved with its class for a second night. What moved with its class for one night only is left
// out, and so is what was withdrawn.
std::vector<double> load_chart(Database& db, const Check& check) {
    const std::string with_class = moved_with_class;
    std::vector<double> chart;
    auto rows = db.query(
        "WITH mine AS (SELECT k.id, k.value, k.state, k.definition, " + with_class +
            " AS whole, lag(" + with_class +
            ", 1, 0) OVER (ORDER BY k.id) AS whole_before FROM canary_check k "
            "WHERE k.worker_id = ?1 AND k.id < ?3 AND k.definition = ?2 AND NOT EXISTS (SELECT 1 "
            "FROM withdrawal x WHERE x.nightly_id = k.nightly_id AND x.restored_at_s IS NULL "
            "AND (x.worker_id IS NULL OR x.worker_id = ?1))) "
            "SELECT value FROM mine WHERE state IN ('learning', 'steady') AND value IS NOT NULL "
            "AND NOT whole AND id > ifnull((SELECT max(id) FROM canary_check "
            "WHERE worker_id = ?1 AND id < ?3 AND state = 'moved'), 0) "
            "AND id > ifnull((SELECT max(id) FROM mine WHERE whole AND whole_before), 0) "
            "ORDER BY id",
        check.worker,
        check.definition,
        check.id);
    while (rows.next()) chart.push_back(rows.get<double>(0));
    return chart;
}

// Where it stands on its chart; the row says so.
detect::CanaryJudgement place(Database& db, const Check& check, const Value& value) {
    auto judgement = detect::judge_canary(load_chart(db, check), value.median);
    db.execute(
        "UPDATE canary_check SET series_id = ?2, value = ?3, base = ?4, moved_ratio = ?5 "
        "WHERE id = ?1",
        check.id,
        value.series,
        value.median,
        judgement.knows ? std::optional(judgement.base) : std::nullopt,
        judgement.knows ? std::optional(std::expm1(judgement.moved)) : std::nullopt);
    return judgement;
}

void judge_first(
    Database& db,
    const Canary& canary,
    const Check& check,
    NightlyId nightly,
    const Value& value,
    std::int64_t now_s) {
    const auto judgement = place(db, check, value);
    if (!judgement.knows || !judgement.off) {
        const auto state = judgement.knows ? CanaryState::steady : CanaryState::learning;
        end(db, check, state, judgement.reason, now_s);
        return;
    }
    const auto job = ask(db, canary, nightly, check.worker, now_s);
    db.execute(
        "UPDATE canary_check SET state = 'again', job_id = ?2, message = ?3 WHERE id = ?1",
        check.id,
        job,
        judgement.reason);
}

// @return  it, when it is off to the same side again; else its check has ended
std::optional<MovedCanary> judge_again(
    Database& db, const Check& check, const Value& value, std::int64_t now_s) {
    const auto before = db.find<std::optional<double>>(
        "SELECT moved_ratio FROM canary_check WHERE id = ?1", check.id);
    const auto judgement = place(db, check, value);
    const bool up = judgement.moved > 0;
    if (judgement.off && before && *before && (**before > 0) == up) {
        return MovedCanary{check.id, check.worker, check.worker_name, up, judgement.reason};
    }
    end(db, check, CanaryState::steady, judgement.reason, now_s);
    return std::nullopt;
}

// @return  whether its job still runs; one that nobody did in time has ended without a value
bool is_running(Database& db, const Check& check, std::int64_t now_s) {
    const auto state = *db.find<JobState>("SELECT state FROM job WHERE id = ?1", *check.job);
    if (state != JobState::queued && state != JobState::leased) return false;
    // Steady time: a clock that is set gives up no job.
    const auto since_s = db.find<std::optional<std::int64_t>>(
        "SELECT waits_since_s FROM job WHERE id = ?1", *check.job);
    const bool seen = since_s && *since_s;
    if (!seen || load_steady_s(db) < **since_s + longest_wait_s) return true;
    cancel_job(db, *check.job, now_s);
    return false;
}

struct Looked {
    Canary canary;
    Value value;
};

// What its job measured; without a value its check ends as missing.
std::optional<Looked> read_look(
    Database& db, const Config& config, const Check& check, std::int64_t now_s) {
    const auto found = config.machine_classes.find(check.machine_class);
    const bool wanted = found != config.machine_classes.end() && found->second.canary;
    const auto canary =
        wanted ? find_canary(db, config, *found->second.canary, now_s) : std::nullopt;
    const auto value = canary ? value_of(db, *check.job, canary->metric) : std::nullopt;
    if (value) return Looked{*canary, *value};
    const auto state = *db.find<JobState>("SELECT state FROM job WHERE id = ?1", *check.job);
    const bool late = state == JobState::cancelled;
    end(db,
        check,
        CanaryState::missing,
        late ? "it was not measured within an hour" : "none of its runs gave a value",
        now_s);
    return std::nullopt;
}

// The second looks of a class are judged together, when all of it has been measured: whether one
// worker moved alone is seen by the others.
// @return  whether the class is still measured
bool judge_class(
    Database& db,
    const Config& config,
    NightlyId nightly,
    const std::string& machine_class,
    const std::vector<Check>& checks,
    std::int64_t now_s) {
    bool waiting = false;
    for (const auto& check : checks) {
        waiting |= check.state == CanaryState::measuring || is_running(db, check, now_s);
    }
    if (waiting) return true;
    std::vector<MovedCanary> moved;
    for (const auto& check : checks) {
        const auto look = read_look(db, config, check, now_s);
        const auto one = look ? judge_again(db, check, look->value, now_s) : std::nullopt;
        if (one) moved.push_back(*one);
    }
    end_moved(db, nightly, machine_class, moved, now_s);
    return false;
}

}  // namespace

bool check_canaries(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s) {
    open_checks(db, config, nightly, now_s);
    for (const auto& check : list_open_checks(db, nightly)) {
        if (check.state != CanaryState::measuring || is_running(db, check, now_s)) continue;
        const auto look = read_look(db, config, check, now_s);
        if (look) judge_first(db, look->canary, check, nightly, look->value, now_s);
    }
    std::map<std::string, std::vector<Check>> classes;
    for (auto& check : list_open_checks(db, nightly)) {
        classes[check.machine_class].push_back(std::move(check));
    }
    bool waiting = false;
    for (const auto& [name, checks] : classes) {
        waiting |= judge_class(db, config, nightly, name, checks, now_s);
    }
    return waiting;
}

}  // namespace vigil::service
