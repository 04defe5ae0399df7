// A benchmark's launch, from the lease to the process.

#include "worker/run/launch.hpp"

#include <catch2/catch.hpp>

#include "tests/integration/worker/lease/worker_fixture.hpp"

using namespace vigil;
using test::FakeService;
using test::ScratchFolder;
using test::WorkerPlace;

namespace {

/// The result of a job whose benchmark prints where and how it runs.
JobResult result_with(const Launch& launch, std::string* log = nullptr) {
    const ScratchFolder folder;
    FakeService service;
    const auto tree = test::add_c_project(service, folder.path(), "100");
    auto plan = test::command_plan(
        {"/bin/sh",
         "-c",
         "grep Cpus_allowed_list /proc/self/status >&2; echo threads=$OMP_NUM_THREADS "
         "affinity=$KMP_AFFINITY >&2; grep -o '[^/]*malloc[^/]*$' /proc/self/maps >&2; bin/main"});
    plan.environment = {{"KMP_AFFINITY", "disabled"}};
    plan.launch = launch;
    service.leases.push_back(test::lease_of({test::order_of(1, tree)}, plan, {0}));
    WorkerPlace place(folder.path() / "state", service);
    place.loop.run_once(0);
    auto result = service.result("7-1");
    if (log != nullptr && !result.runs.empty()) *log = service.contents.at(*result.runs[0].log);
    return result;
}

}  // namespace

TEST_CASE("A run is started as its launch says, and says so", "[worker][lease]") {
    const auto own = worker::own_processors();
    Launch launch;
    launch.cores = cores_text({own.back()});
    launch.numa_memory = worker::numa_memories().front();
    launch.openmp.threads = 3;
    launch.openmp.affinity = "compact";
    std::string log;
    const auto result = result_with(launch, &log);
    CAPTURE(result.failure, log);
    REQUIRE(result.runs.size() == 1);
    CHECK(result.runs[0].outcome == Outcome::passed);
    CHECK_THAT(log, Catch::Contains("Cpus_allowed_list:\t" + launch.cores + "\n"));
    CHECK_THAT(log, Catch::Contains("threads=3 affinity=disabled"));  // the benchmark's own counts
    CHECK_THAT(
        result.before.facts.at("launch"),
        Catch::Contains("cores " + launch.cores) && Catch::Contains("OMP_NUM_THREADS=3"));
    CHECK(result.before.facts.at("launch") == result.after.facts.at("launch"));
    CHECK(result_with({}).before.facts.count("launch") == 0);
}

TEST_CASE("A launch that the machine cannot give is the job's failure", "[worker][lease]") {
    Launch launch;
    launch.cores = "1023";
    launch.numa_memory = 1023;
    const auto result = result_with(launch);
    CHECK_THAT(
        result.failure,
        Catch::Contains("the launch of print default") && Catch::Contains("no core 1023") &&
            Catch::Contains("no memory node 1023"));
    CHECK(result.fault == Fault::job);  // the worker can do other jobs
    CHECK(result.builds.empty());
}

TEST_CASE("The dashboard's way of one core gives one core, one thread and jemalloc", "[worker]") {
    Launch launch;
    launch.profile = LaunchProfile::xeon_core;
    std::string log;
    const auto result = result_with(launch, &log);
    CAPTURE(result.failure, log);
    if (worker::find_allocator(Allocator::jemalloc).empty()) {
        CHECK_THAT(result.failure, Catch::Contains("apt-get install libjemalloc2"));
        return;
    }
    REQUIRE(result.runs.size() == 1);
    CHECK(result.runs[0].outcome == Outcome::passed);
    const auto first = std::to_string(worker::own_processors().front());
    CHECK_THAT(log, Catch::Contains("Cpus_allowed_list:\t" + first + "\n"));
    CHECK_THAT(log, Catch::Contains("threads=1 affinity=disabled"));
    CHECK_THAT(log, Catch::Contains("libjemalloc.so.2"));
}
