#include <catch2/catch.hpp>

#include "tests/integration/worker/lease/worker_fixture.hpp"

using namespace vigil;
using test::FakeService;
using test::ScratchFolder;
using test::WorkerPlace;

TEST_CASE("A job times a build without anything of an earlier one", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto plan = test::command_plan({});
    plan.kind = BenchmarkKind::build;
    plan.samples = {};
    auto order = test::order_of(1, source);
    order.recipe.commands.push_back(
        {"/bin/sh", "-c", "echo \"disabled $CCACHE_DISABLE, $(ls -A $HOME | wc -l) in $HOME\""});
    service.leases.push_back(test::lease_of({order}, plan, {0, 0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto made = service.result("7-1").builds.at(0);
    REQUIRE(made.built);
    order.product = made.product;  // and now it is there already
    service.leases.push_back(test::lease_of({order}, plan, {0}));
    service.leases.back().attempt = 2;
    order.recipe.commands = {{"/bin/false"}};
    service.leases.push_back(test::lease_of({order}, plan, {0}));
    service.leases.back().attempt = 3;
    REQUIRE(place.loop.run_once(0));
    REQUIRE(place.loop.run_once(0));
    for (const auto* name : {"7-1", "7-2"}) {
        const auto result = service.result(name);
        CHECK(result.failure.empty());
        CHECK_FALSE(result.runs.empty());
        for (const auto& run : result.runs) {
            CAPTURE(name, run.message);
            REQUIRE(run.outcome == Outcome::passed);
            REQUIRE(run.samples.size() == 1);
            CHECK(run.samples[0].metric == Metric::build_time_ns);
            CHECK(run.samples[0].values.at(0) > 0);
            CHECK(run.samples[0].values[0] == static_cast<double>(run.duration_ns));
            CHECK(service.contents.at(*run.log).find("disabled 1, 0 in ") != std::string::npos);
        }
    }
    CHECK(service.result("7-2").builds.empty());
    const auto failed = service.result("7-3").runs.at(0);
    CHECK(failed.outcome == Outcome::failed);
    CHECK(failed.message.find("exit code 1") != std::string::npos);
}
