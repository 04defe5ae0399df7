// Compiles vigil-bench, which takes a minute or two the first time: run with "[.long]".

#include <catch2/catch.hpp>

#include "tests/integration/worker/lease/worker_fixture.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::FakeService;
using test::ScratchFolder;
using test::WorkerPlace;
namespace fs = std::filesystem;

TEST_CASE("vigil-bench is compiled once in the sandbox and then measures", "[.long]") {
    const ScratchFolder folder;
    FakeService service;
    test::write_file(folder.path() / "in/file", "a product that needs no library\n");
    archive::pack_folder(folder.path() / "in", {"."}, folder.path() / "in.tar");
    auto order = test::order_of(1, service.add_content_of(folder.path() / "in.tar"));
    order.recipe.commands.clear();
    order.recipe.outputs = {"file"};
    BenchmarkPlan plan;
    plan.benchmark = "mlp";
    plan.variant = "infer";
    plan.kind = BenchmarkKind::torch;
    plan.command = {"--model", "mlp", "--min-time", "0.05", "--max-warmup", "0.1"};
    plan.samples.format = SampleFormat::vigil;
    plan.environment = {{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"}};
    auto lease = test::lease_of({order}, plan, {0, 0});
    service.leases.push_back(lease);
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    auto result = service.result("7-1");
    CAPTURE(result.failure);
    REQUIRE(result.runs.size() == 2);
    for (const auto& run : result.runs) {
        CAPTURE(run.message);
        CHECK(run.outcome == Outcome::passed);
        CHECK(run.samples.size() >= 4);
    }
    const auto compiled = fs::directory_iterator(folder.path() / "state/bench")->path();
    const auto time = fs::last_write_time(compiled / "vigil-bench");
    lease.attempt = 2;
    service.leases.push_back(lease);
    REQUIRE(place.loop.run_once(0));
    CHECK(service.result("7-2").runs.at(1).outcome == Outcome::passed);
    CHECK(fs::last_write_time(compiled / "vigil-bench") == time);
}

TEST_CASE("Without vigil-bench's source a torch benchmark is the worker's failure", "[worker]") {
    const ScratchFolder folder;
    FakeService service;
    BenchmarkPlan plan;
    plan.kind = BenchmarkKind::torch;
    plan.samples.format = SampleFormat::vigil;
    const auto source = test::add_c_project(service, folder.path(), "1");
    service.leases.push_back(test::lease_of({test::order_of(1, source)}, plan, {0}));
    WorkerPlace place(folder.path() / "state", service, folder.path() / "nowhere");
    REQUIRE(place.loop.run_once(0));
    CHECK_THAT(service.result("7-1").failure, Catch::Contains("bench_source"));
}
