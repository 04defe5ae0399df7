#include "service/watch/confirm/session.hpp"

#include <algorithm>

#include "schema/model/case_run.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/workers.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

bool is_empty(const SessionJob& job) {
    return job.sides_passed < 2;
}

}  // namespace

SessionState state_of(std::span<const SessionJob> jobs) {
    SessionState state;
    for (const auto& job : jobs) {
        if (job.is_open) {
            ++state.open_jobs;
        } else if (is_empty(job)) {
            ++state.empty_jobs;
        } else {
            state.runs += job.asked;
        }
    }
    return state;
}

std::vector<detect::SessionRun> runs_in_blocks(
    std::span<const SessionJob> jobs, std::span<const SessionValue> values) {
    std::vector<detect::SessionRun> runs;
    // Two halves are one block.
    std::size_t asked = 0;
    int block = 0;
    JobId last;
    for (const auto& one : values) {
        const auto job = std::find_if(
            jobs.begin(), jobs.end(), [&](const auto& other) { return other.id == one.job; });
        VIGIL_ASSERT(job != jobs.end());
        if (is_empty(*job)) continue;
        if (one.job != last) {
            last = one.job;
            block = static_cast<int>(asked / block_runs);
            asked += job->asked;
        }
        runs.push_back({one.is_new ? detect::Side::b : detect::Side::a, block, one.value});
    }
    return runs;
}

std::optional<Verdict> verdict_of(const OutcomeCounts& counts) {
    if (counts.a_runs < 2 || counts.b_runs < 2) return std::nullopt;
    if (counts.b_passed > 0) return Verdict::noise;
    return counts.a_passed > 0 ? Verdict::broken : Verdict::environment;
}

namespace {

// What a worker runs, or those who measure elsewhere under a name of their own.
BenchmarkPlan plan_of(Database& db, const ProjectConfig& config, const SessionRow& session) {
    if (!is_external(config)) {
        const ClassVariant wanted{session.benchmark, session.variant, session.machine_class};
        auto plan = find_benchmark(db, config, session.project, wanted);
        if (session.case_name.empty() || !can_run_alone(plan)) return plan;
        return of_case(std::move(plan), session.case_name);
    }
    BenchmarkPlan plan;
    plan.benchmark = session.benchmark;
    plan.variant = session.variant;
    plan.command = {"(measured elsewhere)"};
    return plan;
}

}  // namespace

void add_runs(
    Database& db,
    const ProjectConfig& config,
    const SessionRow& session,
    const std::vector<detect::WantedRun>& wanted,
    Priority priority,
    std::int64_t now_s) {
    NewJob job;
    job.project = session.project;
    job.machine_class = session.machine_class;
    job.purpose = session.request ? Purpose::request : Purpose::confirm;
    job.priority = priority;
    job.nightly = session.nightly;
    job.session = session.id;
    job.plan.benchmarks = {plan_of(db, config, session)};
    if (is_external(config)) {
        job.only_worker = ensure_stand_in(db, session.project, session.machine_class, now_s);
    }
    std::vector<BuildId> old;
    for (const auto night : session.old_nights) old.push_back(build_of(db, night));
    if (session.request) old = {session.old_build};
    for (const auto& run : wanted) {
        const auto build = run.side == detect::Side::b ? session.new_build : old.at(run.old);
        auto place = std::find(job.builds.begin(), job.builds.end(), build);
        if (place == job.builds.end()) {
            job.builds.push_back(build);
            place = std::prev(job.builds.end());
        }
        job.plan.steps.push_back({static_cast<int>(place - job.builds.begin()), 0});
    }
    add_job(db, job, now_s);
}

}  // namespace vigil::service
