#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/wire/digest.hpp"
#include "service/config/config.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/job_result.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"

namespace vigil::test {

/// A ledger in memory with one project and the machine classes `cpu` (workers one, two) and `gpu`
/// (worker three), for tests of the job queue.
struct JobScene {
    service::Config config;
    service::Database db = service::Database::open_writer(":memory:");
    std::int64_t now_s = 1'000'000;
    ProjectId project;
    MachineClassId machine_class;
    WorkerId one, two, three;
    int builds = 0;

    JobScene() {
        service::migrate(db);
        config.machine_classes["cpu"].environment = {{"OMP_NUM_THREADS", "1"}};
        config.machine_classes["gpu"].gpu = "H200";
        config.workers = {{"one", {"cpu"}}, {"two", {"cpu"}}, {"three", {"gpu"}}};
        auto& recipe = config.projects["toy"].recipe;
        recipe.commands = {{"make"}};
        recipe.outputs = {"out"};
        project = service::ensure_project(db, "toy", now_s);
        machine_class = service::ensure_machine_class(db, "cpu");
        one = show("one");
        two = show("two");
        three = show("three");
    }

    WorkerId show(const std::string& name, const std::string& toolchain = "gcc") {
        Fingerprint fingerprint;
        fingerprint.cpu_model = "Xeon";
        fingerprint.cpus = 8;
        fingerprint.toolchain = toolchain;
        if (name == "three") fingerprint.gpus = {"NVIDIA H200, 550"};
        return service::upsert_worker(db, config, name, fingerprint, false, now_s);
    }

    /// A build of a revision of its own; without input it waits for its export.
    BuildId add_build(bool with_input = true) {
        std::string hash = std::to_string(++builds);
        hash.insert(0, 40 - hash.size(), '0');
        db.execute(
            "INSERT INTO build(project_id, revision, input_kind, input_digest, created_at_s) "
            "VALUES (?1, ?2, 'source_tree', ?3, ?4)",
            project,
            Revision(hash),
            with_input ? wire::sha256("tree " + hash) : Digest(),
            now_s);
        return BuildId{db.last_insert_id()};
    }

    /// A job that runs its builds in order, once each.
    JobId add_job(const std::vector<BuildId>& job_builds, int priority = 10) {
        service::NewJob job;
        job.project = project;
        job.machine_class = machine_class;
        job.priority = static_cast<service::Priority>(priority);
        job.builds = job_builds;
        BenchmarkPlan benchmark;
        benchmark.benchmark = "mlp";
        benchmark.variant = "train";
        benchmark.command = {"./bench", "--train"};
        job.plan.benchmarks = {benchmark};
        for (int i = 0; i < static_cast<int>(job_builds.size()); ++i) {
            job.plan.steps.push_back({i, 0});
        }
        return service::add_job(db, job, now_s);
    }

    std::optional<Lease> claim(WorkerId worker) {
        return service::claim_job(db, config, worker, now_s);
    }

    /// The result of a worker that built what was missing and ran every step.
    JobResult result_of(const Lease& lease) const {
        JobResult result;
        for (const auto& order : lease.builds) {
            if (order.product) continue;
            BuildOutcome outcome;
            outcome.id = order.id;
            outcome.built = true;
            outcome.duration_ns = 5;
            outcome.product = wire::sha256("product " + order.revision.str());
            result.builds.push_back(outcome);
        }
        for (int i = 0; i < static_cast<int>(lease.plan.steps.size()); ++i) {
            RunOutcome run;
            run.step = i;
            run.outcome = Outcome::passed;
            run.samples = {{Metric::cpu_time_ns, {10, 12, 11}}};
            result.runs.push_back(run);
        }
        result.before.facts = {{"kernel", "6.1"}};
        result.after.facts = {{"kernel", "6.1"}};
        return result;
    }

    service::Taking finish(const Lease& lease, WorkerId worker, const JobResult& result) {
        return service::finish_job(
            db,
            config.jobs,
            lease.job,
            lease.attempt,
            worker,
            service::write_result(result),
            now_s);
    }

    JobState state(JobId job) {
        return db.find<JobState>("SELECT state FROM job WHERE id = ?1", job).value();
    }
    int count(const std::string& table, const std::string& where = "1") {
        return db.find<int>("SELECT count(*) FROM " + table + " WHERE " + where).value();
    }
};

}  // namespace vigil::test
