#include "service/schedule/job_queue.hpp"

#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/chrono.h>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/traceparent.hpp"
#include "service/schedule/build_jobs.hpp"
#include "service/schedule/claim_order.hpp"
#include "service/schedule/day_budget.hpp"
#include "service/schedule/job_rules.hpp"
#include "service/schedule/leases.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/alone.hpp"
#include "service/store/content_index.hpp"
#include "service/store/work/claimers.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/work/machine_time.hpp"
#include "service/store/work/runs.hpp"
#include "service/store/work/traces.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t longest_wait_s = 24 * 3600;
constexpr std::int64_t wait_for_one_s = 3600;      // for the only worker that may do it
constexpr std::int64_t wait_for_another_s = 1800;  // beside the one that may not do it
constexpr int first_looked_at = 4;                 // waiting jobs one claim looks at, mostly
constexpr int max_looked_at = 200;                 // where none of them can begin
constexpr int min_looked_at = 20;                  // of each project, likewise
constexpr int max_cancelled = 100;                 // unclaimed ones in one call
constexpr int key_bytes = 16;

/// A worker asks for a job of a project.
struct Claim {
    const Claimer& worker;
    const Config& config;
    const std::string& project_name;
    const ProjectConfig& project;
    Moment now;
    bool built_elsewhere;  ///< workers of another class build for the worker's
    bool only_builds;      ///< the worker's class builds for others, and measures nothing
};

/// What a job measures, and how it is made.
struct Making {
    std::vector<JobBuild> builds;
    const Recipe* recipe = nullptr;
    Digest recipe_digest;
};

NeededBuild need_of(Database& db, const Claim& claim, const JobBuild& build, const Digest& recipe) {
    const auto& toolchain = claim.worker.toolchain;
    NeededBuild needed;
    needed.has_input = !build.input.empty() && !build.no_input;
    needed.has_product = build.product.has_value();
    needed.built_elsewhere = claim.built_elsewhere;
    if (claim.built_elsewhere) {
        needed.unbuildable = !needed.has_product && is_unbuildable(db, build.id, recipe, toolchain);
        return needed;
    }
    // Another job under lease that needs it began first, so it is the one that makes it.
    needed.being_built = !needed.has_product && is_being_built(db, build.id, toolchain);
    return needed;
}

/// What the job measures, when the worker can begin it.
std::optional<Making> find_making(Database& db, const Claim& claim, JobId job) {
    const auto kinds = list_input_kinds(db, job);
    if (kinds.empty()) throw Error(Errc::internal, "no build is named for it");
    if (kinds.size() > 1) {
        throw Error(
            Errc::invalid_argument, "archives and builds of revisions are never measured together");
    }
    Making making;
    making.recipe = find_recipe(claim.project, kinds.front());
    if (making.recipe == nullptr) {
        throw Error(Errc::invalid_argument, why_no_revisions(claim.project).value());
    }
    making.recipe_digest = wire::digest_of(*making.recipe);
    making.builds = list_job_builds(db, job, making.recipe_digest, claim.worker.toolchain);
    std::vector<NeededBuild> needed;
    for (const auto& build : making.builds) {
        needed.push_back(need_of(db, claim, build, making.recipe_digest));
    }
    if (!can_begin(needed)) return std::nullopt;
    return making;
}

/// The same, where the worker's class only builds: nothing that measures.
std::optional<Making> find_making_for(Database& db, const Claim& claim, JobId job) {
    if (claim.only_builds && !load_plan(db, job).steps.empty()) return std::nullopt;
    return find_making(db, claim, job);
}

/// What builds ask git for, which their tree has not. It stands in the environment and not in the
/// tree, so that commits of equal trees stay equal.
void tell_version(Recipe& recipe, const JobBuild& build) {
    auto& variables = recipe.environment;  // what the config says stays
    variables.emplace("VIGIL_REVISION", build.revision.str());
    if (build.describe.empty()) return;
    variables.emplace("VIGIL_DESCRIBE", build.describe);
    constexpr std::int64_t year_10000_s = 253'402'300'800;  // a commit's time may be anything
    if (build.committed_at_s < 0 || build.committed_at_s >= year_10000_s) return;
    const auto when = fmt::gmtime(static_cast<std::time_t>(build.committed_at_s));
    variables.emplace("VIGIL_DATE", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", when));
}

std::vector<BuildOrder> orders_of(const Making& making, bool build_here) {
    std::vector<BuildOrder> orders;
    for (const auto& build : making.builds) {
        orders.push_back(
            {.id = build.id,
             .revision = build.revision,
             .input_kind = build.input_kind,
             .input = build.input,
             .recipe = *making.recipe,
             .product = build.product,
             .build_here = build_here});
        tell_version(orders.back().recipe, build);
    }
    return orders;
}

EnvironmentVariables environment_of(const Config& config, const std::string& class_name) {
    const auto found = config.machine_classes.find(class_name);
    return found == config.machine_classes.end() ? EnvironmentVariables{}
                                                 : found->second.environment;
}

/// What is to search its batch gets the one that was found, once it was: a level must not move with
/// the choice, and the search costs a process for each size.
void settle_batches(Database& db, const JobRow& job, JobPlan& plan) {
    for (auto& benchmark : plan.benchmarks) {
        const auto at = std::find(benchmark.command.begin(), benchmark.command.end(), "--batch");
        if (at == benchmark.command.end() || at + 1 == benchmark.command.end()) continue;
        if (*(at + 1) != "auto") continue;
        const ClassVariant variant{benchmark.benchmark, benchmark.variant, job.machine_class};
        const auto batch = find_chosen_batch(db, job.project, variant);
        if (batch) *(at + 1) = std::to_string(*batch);
    }
}

/// Builds and runs know their trace. A job that nobody asked for has one of its own, so that no
/// run's environment is longer than another's, which can move what is measured.
void tell_trace(Database& db, Lease& lease) {
    const auto known = find_traceparent(db, lease.job);
    const auto trace = known ? *known : wire::new_traceparent();
    lease.environment.emplace(wire::traceparent_variable, trace);
    for (auto& build : lease.builds) {
        build.recipe.environment.emplace(wire::traceparent_variable, trace);
    }
}

Lease take(Database& db, const Claim& claim, const JobRow& job, const Making& making) {
    const auto now_s = claim.now.now_s;
    Lease lease{
        .job = job.id,
        .attempt = job.attempt + 1,
        .ttl_s = claim.config.jobs.lease_ttl_s,
        .purpose = job.purpose,
        .project = claim.project_name,
        .builds = orders_of(making, !claim.built_elsewhere),
        .plan = load_plan(db, job.id),
        .environment = environment_of(claim.config, claim.worker.class_name),
        .key = wire::random_hex(key_bytes)};
    settle_batches(db, job, lease.plan);
    tell_trace(db, lease);
    move_job(
        db,
        job,
        {.to = JobState::leased,
         .worker = claim.worker.id,
         .lease_expires_at_s = claim.now.steady_s + lease.ttl_s});
    const bool builds = std::ranges::any_of(
        lease.plan.benchmarks, [](const auto& plan) { return plan.kind == BenchmarkKind::build; });
    for (const auto& build : making.builds) {
        if (build.product) touch_content(db, *build.product, now_s);
        if (!build.product || builds) touch_content(db, build.input, now_s);
    }
    AttemptRow attempt;
    attempt.number = lease.attempt;
    attempt.worker = claim.worker.id;
    attempt.recipe = making.recipe_digest;
    attempt.key = lease.key;
    add_attempt(db, job.id, attempt, now_s);
    record_job(
        db,
        job,
        "job.leased",
        "attempt " + std::to_string(lease.attempt) + " by worker " + claim.worker.name,
        now_s);
    return lease;
}

/// A job that cannot be read is ended. @return  nothing where the worker cannot begin it
std::optional<Lease> try_to_take(Database& db, const Claim& claim, const JobRow& job) {
    std::optional<Lease> lease;
    const auto trouble = try_alone(db, [&] {
        const auto making = find_making_for(db, claim, job.id);
        if (making) lease = take(db, claim, job, *making);
    });
    if (!trouble) return lease;
    end_unreadable(db, job, *trouble, claim.now.now_s);
    return std::nullopt;
}

/// Projects whose jobs wait for the class, with their settings.
using Claimable = std::map<ProjectId, std::map<std::string, ProjectConfig>::const_iterator>;

Claimable list_claimable(Database& db, const Config& config, MachineClassId machine_class) {
    Claimable projects;
    for (const auto& one : list_waiting_projects(db, machine_class)) {
        const auto found = config.projects.find(one.name);
        if (found != config.projects.end()) projects.emplace(one.id, found);
    }
    return projects;
}

/// What a project had of the class today.
void load_share(
    Database& db,
    ProjectTurn& turn,
    ProjectId project,
    MachineClassId machine_class,
    std::int64_t now_s) {
    for (const auto& one : list_class_time(db, project, day_of(now_s), machine_class)) {
        turn.spent_s.at(static_cast<std::size_t>(level_of(one.work))) += one.seconds;
    }
}

/// Takes out what waits for the next day, because the project's budget is spent.
void keep_within_budget(
    Database& db,
    ProjectTurn& turn,
    ProjectId id,
    const ProjectConfig& config,
    std::int64_t now_s) {
    if (turn.jobs.empty()) return;
    const auto budget = load_day_budget(db, config, id, now_s);
    if (!budget) return;
    std::erase_if(turn.jobs, [&](const WaitingJob& job) {
        return !may_begin(*budget, level_of(job.priority));
    });
}

/// What waits for the worker, in the order in which it is to be tried.
/// @param each  jobs of each project at most
std::vector<JobRow> list_in_order(
    Database& db, const Claimable& projects, const Claimer& worker, int each, std::int64_t now_s) {
    std::map<ProjectId, ProjectTurn> turns;
    for (const auto& [id, project] : projects) {
        auto& turn = turns[id];
        turn.jobs = list_waiting(db, worker.machine_class, id, worker.id, each);
        keep_within_budget(db, turn, id, project->second, now_s);
        if (projects.size() > 1) load_share(db, turn, id, worker.machine_class, now_s);
    }
    int leased = 0;
    if (projects.size() > 1) {
        for (const auto& one : count_leased(db, worker.machine_class)) {
            leased += one.jobs;
            const auto found = turns.find(one.project);
            if (found != turns.end()) found->second.leased = one.jobs;
        }
    }
    std::vector<ProjectTurn> all;
    for (auto& [id, turn] : turns) all.push_back(std::move(turn));
    return claim_order(all, leased);
}

void cancel(Database& db, const JobRow& job, const std::string& why, std::int64_t now_s) {
    move_job(db, job, {.to = JobState::cancelled, .message = why, .ended_at_s = now_s});
    end_attempt(db, job, {.outcome = AttemptOutcome::cancelled}, now_s);
    record_job(db, job, "job.cancelled", "cancelled", now_s);
}

struct Unclaimed {
    JobRow job;
    std::string why;
};

std::vector<Unclaimed> list_unclaimed(Database& db, const Config& config, const Moment& now) {
    std::vector<Unclaimed> unclaimed;
    const auto spent = list_spent_budgets(db, config, now.now_s);
    const auto add = [&](const WaitingJob& one, std::string why) {
        if (waits_for_tomorrow(spent, one.job.project, one.priority)) {
            why += ", while its project's machine hours of the day were spent";
        }
        unclaimed.push_back({one.job, std::move(why)});
    };
    const auto day_ago_s = now.steady_s - longest_wait_s;
    for (const auto& one : list_waiting_since(db, day_ago_s, max_cancelled)) {
        add(one, "no worker of its machine class did it within a day");
    }
    for (const auto& one : list_waiting_for_one(db, day_ago_s, now.steady_s - wait_for_one_s)) {
        if (unclaimed.size() == max_cancelled) break;
        if (is_there(one.worker, seen_after_s(config.jobs, now.now_s))) continue;
        unclaimed.push_back(
            {one.job,
             "worker " + one.worker.name +
                 ", which alone may do it, is not there and did not do it within an hour"});
    }
    const auto since_s = now.steady_s - wait_for_another_s;
    for (const auto& one : list_waiting_for_another(db, day_ago_s, since_s, max_cancelled)) {
        if (std::ssize(unclaimed) >= max_cancelled) break;
        add(one, "no other machine of its class did it within 30 minutes");
    }
    return unclaimed;
}

/// Calls attempt(claim, job) with what waits for the worker, in the order in which it is to be
/// tried, until that is true.
template <class Attempt>
void try_in_order(
    Database& db, const Config& config, WorkerId id, const Moment& now, const Attempt& attempt) {
    const auto worker = find_claimer(db, id);
    if (!worker || !worker->is_active) return;
    const auto projects = list_claimable(db, config, worker->machine_class);
    if (projects.empty()) return;
    const auto& class_name = worker->class_name;
    const bool built_elsewhere = !build_class_of(config, class_name).empty();
    const bool only_builds = !classes_built_by(config, class_name).empty();
    if (only_builds && why_useless(db, config, class_name, worker->toolchain)) return;
    const auto most = std::max(min_looked_at, max_looked_at / static_cast<int>(projects.size()));
    std::set<JobId> seen;
    for (const int each : {first_looked_at, most}) {
        const auto waiting = list_in_order(db, projects, *worker, each, now.now_s);
        for (const auto& job : waiting) {
            if (!seen.insert(job.id).second) continue;
            const auto& [name, project] = *projects.at(job.project);
            if (attempt(
                    Claim{*worker, config, name, project, now, built_elsewhere, only_builds},
                    job)) {
                return;
            }
        }
        if (std::ssize(waiting) < each) break;
    }
}

}  // namespace

std::optional<Lease> claim_job(Database& db, const Config& config, WorkerId id, const Moment& now) {
    std::optional<Lease> lease;
    try_in_order(db, config, id, now, [&](const Claim& claim, const JobRow& job) {
        lease = try_to_take(db, claim, job);
        return lease.has_value();
    });
    return lease;
}

bool has_work_above(
    Database& db,
    const Config& config,
    WorkerId worker,
    Priority priority,
    std::int64_t asked_s,
    std::int64_t now_s) {
    bool found = false;
    try_in_order(db, config, worker, Moment(now_s), [&](const Claim& claim, const JobRow& job) {
        if (!is_more_than(db, job.id, priority, asked_s)) return false;
        // One that cannot be read is ended by who claims it.
        try_alone(db, [&] { found = find_making_for(db, claim, job.id).has_value(); });
        return found;
    });
    return found;
}

int cancel_unclaimed(Database& db, const Config& config, const Moment& now) {
    note_waiting(db, now.steady_s);
    const auto unclaimed = list_unclaimed(db, config, now);
    for (const auto& one : unclaimed) {
        const auto trouble = try_alone(db, [&] { cancel(db, one.job, one.why, now.now_s); });
        if (trouble) end_unreadable(db, one.job, *trouble, now.now_s);
    }
    return static_cast<int>(unclaimed.size());
}

void cancel_job(Database& db, JobId id, std::int64_t now_s) {
    const auto job = load_job(db, id);
    if (is_over(job.state)) {
        throw Error(
            Errc::conflict,
            "job " + to_string(id) + " is " + std::string(to_string(job.state)) + " already");
    }
    cancel(db, job, "", now_s);
}

}  // namespace vigil::service
