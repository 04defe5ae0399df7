#include "service/watch/canary.hpp"

#include <algorithm>
#include <cmath>
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
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/workers.hpp"
#include "service/watch/benchmarks.hpp"
#include "service/watch/builds.hpp"
#include "service/watch/nightlies.hpp"

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
        "SELECT build_id FROM nightly WHERE project_id = ?1 AND (version = ?2 OR revision = ?2) "
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
    std::int64_t created_at_s = 0;
};

std::vector<Check> list_open_checks(Database& db, NightlyId nightly) {
    std::vector<Check> checks;
    auto rows = db.query(
        "SELECT k.id, k.worker_id, w.name, c.name, k.state, k.job_id, k.definition, "
        "k.created_at_s FROM canary_check k JOIN worker w ON w.id = k.worker_id "
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
             rows.get<std::string>(6),
             rows.get<std::int64_t>(7)});
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
    job.priority = static_cast<int>(Priority::confirm);
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
    };
    std::vector<Measured> workers;
    {
        auto rows = db.query(
            "SELECT DISTINCT w.id, c.name FROM job j JOIN run r ON r.job_id = j.id "
            "AND r.attempt = j.attempt JOIN worker w ON w.id = r.worker_id "
            "JOIN machine_class c ON c.id = w.machine_class_id "
            "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND w.state = 'active' "
            "ORDER BY w.id",
            nightly);
        while (rows.next()) workers.push_back({rows.get<WorkerId>(0), rows.get<std::string>(1)});
    }
    for (const auto& [worker, class_name] : workers) {
        const auto found = config.machine_classes.find(class_name);
        if (found == config.machine_classes.end() || !found->second.canary) continue;
        const auto canary = find_canary(db, config, *found->second.canary, now_s);
        std::optional<JobId> job;
        if (canary) job = ask(db, *canary, nightly, worker, now_s);
        db.execute(
            "INSERT INTO canary_check(nightly_id, worker_id, definition, state, job_id, message, "
            "created_at_s, ended_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            nightly,
            worker,
            canary ? canary->definition : "",
            canary ? CanaryState::measuring : CanaryState::missing,
            job,
            canary ? "" : "the project has no nightly " + found->second.canary->build,
            now_s,
            canary ? std::nullopt : std::optional(now_s));
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
        "JOIN measurement m ON m.run_id = r.id JOIN series s ON s.id = m.series_id "
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

// Since the chart began: with this definition, or when its worker was last held by it.
std::vector<double> load_chart(Database& db, const Check& check) {
    std::vector<double> chart;
    auto rows = db.query(
        "SELECT value FROM canary_check WHERE worker_id = ?1 AND definition = ?2 AND id < ?3 "
        "AND state IN ('learning', 'steady') AND value IS NOT NULL "
        "AND id > ifnull((SELECT max(id) FROM canary_check WHERE worker_id = ?1 "
        "AND state = 'moved'), 0) ORDER BY id",
        check.worker,
        check.definition,
        check.id);
    while (rows.next()) chart.push_back(rows.get<double>(0));
    return chart;
}

void hold(
    Database& db,
    const Check& check,
    NightlyId nightly,
    const std::string& why,
    std::int64_t now_s) {
    const auto words = fmt::format(
        "its canary moved in nightly {}, and again when measured once more: {}; look at the "
        "machine, then: vigil worker release {}",
        to_string(nightly),
        why,
        check.worker_name);
    hold_worker(db, check.worker, words, now_s);
    record_event(
        db,
        now_s,
        "canary.moved",
        db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly),
        "worker/" + to_string(check.worker),
        "worker " + check.worker_name + ": " + why + "; what it measured in nightly " +
            to_string(nightly) + " is not judged");
}

// @return  whether it is measured once more
bool judge(
    Database& db,
    const Canary& canary,
    const Check& check,
    NightlyId nightly,
    const Value& value,
    std::int64_t now_s) {
    const auto judgement = detect::judge_canary(load_chart(db, check), value.median);
    const auto before = db.find<std::optional<double>>(
        "SELECT moved_ratio FROM canary_check WHERE id = ?1", check.id);
    db.execute(
        "UPDATE canary_check SET series_id = ?2, value = ?3, base = ?4, moved_ratio = ?5 "
        "WHERE id = ?1",
        check.id,
        value.series,
        value.median,
        judgement.knows ? std::optional(judgement.base) : std::nullopt,
        judgement.knows ? std::optional(std::expm1(judgement.moved)) : std::nullopt);
    if (!judgement.knows) {
        end(db, check, CanaryState::learning, judgement.reason, now_s);
        return false;
    }
    if (!judgement.off) {
        end(db, check, CanaryState::steady, judgement.reason, now_s);
        return false;
    }
    if (check.state == CanaryState::measuring) {
        const auto job = ask(db, canary, nightly, check.worker, now_s);
        db.execute(
            "UPDATE canary_check SET state = 'again', job_id = ?2, message = ?3 WHERE id = ?1",
            check.id,
            job,
            judgement.reason);
        return true;
    }
    const bool same_way = before && *before && (**before > 0) == (judgement.moved > 0);
    end(db, check, same_way ? CanaryState::moved : CanaryState::steady, judgement.reason, now_s);
    if (same_way) hold(db, check, nightly, judgement.reason, now_s);
    return false;
}

// @return  whether the check still waits for values
bool advance(
    Database& db, const Config& config, const Check& check, NightlyId nightly, std::int64_t now_s) {
    const auto state = *db.find<JobState>("SELECT state FROM job WHERE id = ?1", *check.job);
    if (state == JobState::queued || state == JobState::leased) {
        if (now_s < check.created_at_s + longest_wait_s) return true;
        cancel_job(db, *check.job, now_s);
        end(db, check, CanaryState::missing, "it was not measured within an hour", now_s);
        return false;
    }
    const auto found = config.machine_classes.find(check.machine_class);
    const bool wanted = found != config.machine_classes.end() && found->second.canary;
    const auto canary =
        wanted ? find_canary(db, config, *found->second.canary, now_s) : std::nullopt;
    const auto value = canary ? value_of(db, *check.job, canary->metric) : std::nullopt;
    if (!value) {
        end(db, check, CanaryState::missing, "none of its runs gave a value", now_s);
        return false;
    }
    return judge(db, *canary, check, nightly, *value, now_s);
}

}  // namespace

bool check_canaries(Database& db, const Config& config, NightlyId nightly, std::int64_t now_s) {
    open_checks(db, config, nightly, now_s);
    bool waiting = false;
    for (const auto& check : list_open_checks(db, nightly)) {
        waiting |= advance(db, config, check, nightly, now_s);
    }
    return waiting;
}

}  // namespace vigil::service
