#include <catch2/catch.hpp>

#include "service/schedule/job_queue.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using test::JobScene;

TEST_CASE("What a run says beside its samples is kept by name", "[service][schedule]") {
    JobScene scene;
    scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one);
    auto result = scene.result_of(*lease);
    result.runs.at(0).facts = {
        {.name = "compile_time_ns", .value = 5e8, .unit = "ns"},
        {.name = "leak", .value = 8192, .low = 8000, .high = 8400, .unit = "bytes", .text = "leak"},
        {.name = "instructions", .text = "no counter"}};
    CHECK(scene.finish(*lease, scene.one, result) == Taking::taken);
    CHECK(scene.count("run_fact") == 3);
    CHECK(scene.count("run_fact", "name = 'compile_time_ns' AND value = 5e8 AND unit = 'ns'") == 1);
    CHECK(scene.count("run_fact", "name = 'leak' AND low = 8000 AND text = 'leak'") == 1);
    CHECK(scene.count("run_fact", "name = 'instructions' AND value IS NULL") == 1);
    CHECK(scene.count("event", "kind = 'run.leaks' AND message LIKE '%8192 bytes%'") == 1);
    CHECK(scene.count("measurement") == 1);
}

TEST_CASE(
    "The time of a process that sizes its own loop is not judged, and the reason is kept",
    "[service][schedule]") {
    JobScene scene;
    scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one);
    auto result = scene.result_of(*lease);
    auto& run = result.runs.at(0);
    run.samples = {
        {Metric::wall_time_ns, {1e9}},
        {Metric::cpu_time_ns, {1e9}},
        {Metric::peak_process_bytes, {4096}}};
    run.facts = {{.name = "sizes_itself", .text = "criterion: \"sum\""}};
    CHECK(scene.finish(*lease, scene.one, result) == Taking::taken);
    CHECK(scene.count("measurement") == 1);
    CHECK(
        scene.count(
            "unjudged_measurement",
            "reason LIKE '%sizes its own loop (criterion: \"sum\")%\"format\": \"harness\"%'") ==
        2);
}

TEST_CASE(
    "A worker that cannot count instructions that are judged is told once, until it can",
    "[service][schedule]") {
    JobScene scene;
    const auto end_run = [&](const std::vector<RunFact>& facts, bool counts) {
        NewJob job;
        job.project = scene.project;
        job.machine_class = scene.machine_class;
        job.builds = {scene.add_build()};
        BenchmarkPlan plan;
        plan.benchmark = "mlp";
        plan.variant = "train";
        plan.command = {"x"};
        plan.counts_instructions = counts;
        job.plan = {.benchmarks = {plan}, .steps = {{0, 0}}};
        add_job(scene.db, job, scene.now_s);
        const auto lease = scene.claim(scene.one);
        auto result = scene.result_of(*lease);
        result.runs.at(0).facts = facts;
        CHECK(scene.finish(*lease, scene.one, result) == Taking::taken);
    };
    const std::string open = "kind = 'worker.counts_nothing' AND ended_s IS NULL";
    end_run({{.name = "instructions_not_counted", .text = "no counters"}}, false);
    CHECK(scene.count("trouble", open) == 0);
    end_run({{.name = "instructions_not_counted", .text = "no counters"}}, true);
    end_run({{.name = "instructions", .text = "no counter"}}, true);  // as vigil-bench says it
    CHECK(scene.count("trouble", open) == 1);
    CHECK(scene.count("event", "kind = 'worker.counts_nothing'") == 1);
    CHECK(scene.count("trouble", "message LIKE 'worker one cannot count%toy judges%'") == 1);
    end_run({}, true);
    CHECK(scene.count("trouble", open) == 0);
}

TEST_CASE("The first batch that a variant chose stands for it", "[service][schedule]") {
    JobScene scene;
    const auto chose = [](double batch) {
        return std::vector<RunFact>{{.name = "batch_search.chosen", .value = batch}};
    };
    const auto add_searching_job = [&] {
        NewJob job;
        job.project = scene.project;
        job.machine_class = scene.machine_class;
        job.builds = {scene.add_build()};
        BenchmarkPlan plan;
        plan.benchmark = "mlp";
        plan.variant = "infer-auto";
        plan.command = {"--model", "mlp", "--batch", "auto"};
        job.plan = {{plan}, {{0, 0}, {0, 0}, {0, 0}}};
        add_job(scene.db, job, scene.now_s);
    };
    add_searching_job();
    const auto first = scene.claim(scene.one);
    CHECK(first->plan.benchmarks.at(0).command.at(3) == "auto");
    auto result = scene.result_of(*first);
    result.runs.at(0).facts = chose(4);
    result.runs.at(1).facts = chose(16);
    result.runs.at(2).facts = chose(4);
    CHECK(scene.finish(*first, scene.one, result) == Taking::taken);
    CHECK(scene.count("measurement") == 2);
    CHECK(
        scene.count(
            "unjudged_measurement", "reason = 'it chose batch 16, and the series is of batch 4'") ==
        1);
    // Later jobs are told; the plan that is kept still says what the config says.
    add_searching_job();
    const auto second = scene.claim(scene.one);
    CHECK(second->plan.benchmarks.at(0).command.at(3) == "4");
    CHECK(load_plan(scene.db, second->job).benchmarks.at(0).command.at(3) == "auto");
    CHECK(scene.count("chosen_batch", "batch = 4 AND variant = 'infer-auto'") == 1);
}

}  // namespace
}  // namespace vigil::service
