#include <cmath>

#include "schema/wire/digest.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/job_result.hpp"
#include "service/schedule/leases.hpp"
#include "service/schedule/worker_state.hpp"
#include "tests/support/fleet.hpp"

// What the machines of the fleet do.

namespace vigil::tests {

using namespace vigil::service;

namespace {

BuildOutcome built(const World& world, const BuildOrder& order, int commit, bool broken) {
    while (world.silent.contains(commit)) --commit;
    BuildOutcome outcome;
    outcome.id = order.id;
    outcome.built = !broken;
    outcome.duration_ns = 5'000'000'000;
    const bool is_archive = order.input_kind == InputKind::archive;
    const auto product = (is_archive ? "archive " : "product ") + std::to_string(commit);
    if (!broken) outcome.product = wire::sha256(product);
    if (broken) outcome.message = "it does not compile";
    return outcome;
}

/// What the making of an archive does to its time.
double factor_of(const World& world, const BuildOrder& order, int commit) {
    double factor = 1;
    if (order.input_kind != InputKind::archive) return factor;
    for (const auto& [from, by] : world.archives_move) factor *= commit >= from ? by : 1;
    return factor;
}

}  // namespace

double Fleet::value(
    int commit,
    const std::string& variant,
    const std::string& machine_class,
    bool time,
    const std::string& case_name) {
    double level = time ? 1e7 * std::pow(1 + world_.ageing, nights_) : 1e8;
    for (const auto& change : world_.changes) {
        const bool here = change.machine_class.empty() || change.machine_class == machine_class;
        const bool mine = change.case_name.empty() || change.case_name == case_name;
        if (!change.worker.empty()) continue;
        if (here && mine && change.variant == variant && graph_.holds(commit, change.commit)) {
            level *= time ? change.time : change.memory;
        }
    }
    const double noise = time ? world_.noise : world_.memory_noise;
    std::normal_distribution<double> gauss(0, 1);
    return std::round(level * std::exp(noise * gauss(random_)));
}

void Fleet::measure_cases(RunOutcome& run, int commit, const BenchmarkPlan& plan, double pace) {
    const auto holds = [&](const std::map<std::string, int>& since, const std::string& name) {
        const auto at = since.find(name);
        return at != since.end() && graph_.holds(commit, at->second);
    };
    const auto& only = plan.cases->only;
    const bool is_whole = world_.not_alone.contains(only) || world_.none_alone.contains(commit);
    run.samples.clear();
    for (int i = 0; i < world_.cases; ++i) {
        const auto name = "case " + std::to_string(i);
        if (!only.empty() && (name != only || is_whole)) continue;
        if (holds(world_.gone_cases, name)) continue;
        if (holds(world_.failing_cases, name)) {
            run.case_failures.push_back({name, "assertion failed"});
            continue;
        }
        const double time = pace * value(commit, plan.variant, "", true, name);
        run.samples.push_back({Metric::cpu_time_ns, {time}, name});
        run.samples.push_back({Metric::wall_time_ns, {1.1 * time}, name});
        run.samples.push_back(
            {Metric::reported_value,
             {1e9 / time},
             name,
             "items_per_second",
             "",
             Direction::higher_is_better});
    }
    if (only.empty()) {
        const auto memory = value(commit, plan.variant, "", false);
        return run.samples.push_back({Metric::peak_process_bytes, {memory}});
    }
    if (!run.samples.empty()) return;
    run.outcome = run.case_failures.empty() ? Outcome::unsupported : Outcome::failed;
    if (run.case_failures.empty()) run.facts.push_back({.name = "case_not_printed", .text = only});
    run.case_failures.clear();
}

bool Fleet::is_broken(int commit, const std::string& machine_class) const {
    const auto here = world_.broken_on.find(machine_class);
    return world_.broken.contains(commit) ||
           (here != world_.broken_on.end() && graph_.holds(commit, here->second));
}

bool Fleet::crashes(int commit, const std::string& variant) const {
    const auto holds = [&](const std::map<std::string, int>& since) {
        const auto at = since.find(variant);
        return at != since.end() && graph_.holds(commit, at->second);
    };
    return holds(world_.crashes) && !holds(world_.runs_again);
}

bool Fleet::fails_this_time(int commit) {
    const auto flaky = world_.flaky.find(commit);
    return flaky != world_.flaky.end() && flaky->second-- > 0;
}

void Fleet::lie(RunOutcome& run, Purpose purpose, const std::string& variant) {
    for (auto& samples : run.samples) {
        if (!world_.lie) return;
        auto values = world_.lie(purpose, variant, samples.metric, random_);
        if (!values.empty()) samples.values = std::move(values);
    }
}

// One claim by one worker, carried out or lost.
void Fleet::finish(const std::string& worker_name) {
    const auto worker = *db_.find<WorkerId>("SELECT id FROM worker WHERE name = ?1", worker_name);
    const std::string machine_class = config_.workers.at(worker_name).machine_class;
    std::optional<Lease> lease;
    transact([&](Database& db) { lease = claim_job(db, config_, worker, now_s_); });
    std::uniform_real_distribution<double> share(0, 1);
    if (!lease || share(random_) < world_.lost_share || dying.contains(worker_name)) return;
    now_s_ += 10;
    JobResult result;
    std::map<int, int> commit_of;  // index of the build -> commit
    for (int b = 0; b < static_cast<int>(lease->builds.size()); ++b) {
        const auto& order = lease->builds[static_cast<std::size_t>(b)];
        const int commit = graph_.number(order.revision);
        const bool is_archive = order.input_kind == InputKind::archive;
        const bool broken = !is_archive && (is_broken(commit, machine_class) ||
                                            (!order.product && fails_this_time(commit)));
        if (!broken) commit_of[b] = commit;
        if (!order.product) result.builds.push_back(built(world_, order, commit, broken));
    }
    std::normal_distribution<double> gauss(0, 1);
    double pace = world_.spell > 0 ? std::exp(world_.spell * gauss(random_)) : 1;
    for (const auto& [night, factor] : world_.machine_moves) {
        const bool moves = world_.moving_worker.empty() || world_.moving_worker == worker_name;
        if (moves && nights_ >= night) pace *= factor;
    }
    for (int s = 0; s < static_cast<int>(lease->plan.steps.size()); ++s) {
        const auto& step = lease->plan.steps[static_cast<std::size_t>(s)];
        const auto commit = commit_of.find(step.build);
        if (commit == commit_of.end()) continue;
        const auto& plan = lease->plan.benchmarks[static_cast<std::size_t>(step.benchmark)];
        RunOutcome run;
        run.step = s;
        run.outcome = Outcome::passed;
        run.started_at_ns = now_s_ * 1'000'000'000;
        run.duration_ns = 1'000'000'000;
        if (crashes(commit->second, plan.variant)) {
            run.outcome = Outcome::failed;
            run.message = "killed by signal 11";
            result.runs.push_back(run);
            continue;
        }
        const auto& order = lease->builds[static_cast<std::size_t>(step.build)];
        double made = pace * factor_of(world_, order, commit->second);
        for (const auto& change : world_.changes) {
            if (change.worker != worker_name || change.variant != plan.variant) continue;
            if (graph_.holds(commit->second, change.commit)) made *= change.time;
        }
        run.samples = {
            {Metric::cpu_time_ns,
             {made * value(commit->second, plan.variant, machine_class, true)}},
            {Metric::peak_process_bytes,
             {value(commit->second, plan.variant, machine_class, false)}}};
        if (plan.cases) measure_cases(run, commit->second, plan, made);
        lie(run, lease->purpose, plan.variant);
        result.runs.push_back(run);
    }
    transact([&](Database& db) {
        finish_job(
            db, config_.jobs, lease->job, lease->attempt, worker, write_result(result), now_s_);
    });
}

bool Fleet::work_once() {
    const int waiting = count("job", "state IN ('queued', 'leased')");
    if (waiting == 0) return false;
    for (const auto& [name, worker] : config_.workers) {
        if (comes(name) && !busy.contains(name)) finish(name);
    }
    // What was lost expires in a few rounds; where nothing could be done, time flies.
    const bool idle = count("job", "state IN ('queued', 'leased')") == waiting;
    now_s_ += idle ? 1800 : 30;
    transact([&](Database& db) {
        for (const auto& [name, worker] : config_.workers) {
            if (comes(name)) show(name);
        }
        store_steady_s(db, now_s_);
        expire_leases(db, config_.jobs, now_s_);
        cancel_unclaimed(db, config_, now_s_);
    });
    return true;
}

}  // namespace vigil::tests
