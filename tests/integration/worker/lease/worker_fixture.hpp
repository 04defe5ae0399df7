#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "schema/archive/archive.hpp"
#include "tests/integration/worker/lease/fake_service.hpp"
#include "tests/support/scratch_folder.hpp"
#include "worker/lease/job_loop.hpp"
#include "worker/run/process_runner.hpp"

namespace vigil::test {

namespace fs = std::filesystem;

inline void write_file(const fs::path& file, const std::string& content) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
}

/// A C program that prints `value`, as the tar of a source tree.
inline Digest add_c_project(
    FakeService& service, const fs::path& folder, const std::string& value) {
    const auto tree = folder / ("tree-" + value);
    write_file(
        tree / "src/main.c",
        "#include <stdio.h>\nint main(void) { printf(\"" + value + "\\n\"); return 0; }\n");
    write_file(tree / "README", "a tiny project\n");
    const auto tar = folder / ("tree-" + value + ".tar");
    archive::pack_folder(tree, {"."}, tar);
    return service.add_content_of(tar);
}

inline Recipe c_recipe() {
    Recipe recipe;
    recipe.commands = {{"mkdir", "bin"}, {"cc", "-O1", "-g", "src/main.c", "-o", "bin/main"}};
    recipe.outputs = {"bin/main"};
    recipe.limits.wall_time_s = 600;
    return recipe;
}

inline BenchmarkPlan command_plan(Command command) {
    BenchmarkPlan plan;
    plan.benchmark = "print";
    plan.variant = "default";
    plan.command = std::move(command);
    plan.samples.format = SampleFormat::lines;
    plan.samples.printed = Metric::wall_time_ns;
    plan.samples.unit = "ns";
    plan.limits.wall_time_s = 600;
    return plan;
}

inline BuildOrder order_of(std::int64_t id, const Digest& input) {
    BuildOrder order;
    order.id = BuildId{id};
    order.revision = Revision(std::string(39, 'a') + std::to_string(id % 10));
    order.input = input;
    order.recipe = c_recipe();
    return order;
}

inline Lease lease_of(std::vector<BuildOrder> builds, BenchmarkPlan plan, std::vector<int> order) {
    Lease lease;
    lease.job = JobId{7};
    lease.attempt = 1;
    lease.ttl_s = 60;
    lease.purpose = Purpose::confirm;
    lease.project = "tiny";
    lease.builds = std::move(builds);
    lease.plan.benchmarks = {std::move(plan)};
    for (const int build : order) lease.plan.steps.push_back({build, 0});
    return lease;
}

/// A whole worker on a folder of its own, with a service in memory.
struct WorkerPlace {
    WorkerPlace(
        const fs::path& state,
        FakeService& fake,
        const fs::path& bench_source = fs::path(VIGIL_SOURCE_DIR) / "worker/bench",
        worker::CacheWriters writers = worker::CacheWriters::none,
        const std::string& cache_url = "")
        : service(fake),
          runner(
              {fs::path(VIGIL_BINARY_DIR) / "vigil-child",
               worker::SandboxMode::automatic,
               {},
               worker::Whose::others,
               worker::Uncontained::allowed}),
          cache(state / "cache", std::int64_t{1} << 30),
          results(state / "results"),
          jobs(
              runner,
              fake,
              cache,
              {state / "work",
               {cache_url.empty() ? state / "ccache" : fs::path(), writers, cache_url, "secret"},
               state / "bench",
               bench_source},
              "toolchain of the test"),
          loop(fake, jobs, results, flags, worker::Claim{}) {}

    FakeService& service;
    worker::StopFlags flags;
    worker::ProcessRunner runner;
    worker::ContentCache cache;
    worker::ResultBox results;
    worker::JobRunner jobs;
    worker::JobLoop loop;
};

}  // namespace vigil::test
