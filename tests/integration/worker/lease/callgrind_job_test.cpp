#include <catch2/catch.hpp>

#include "tests/integration/worker/lease/worker_fixture.hpp"
#include "worker/run/callgrind.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::FakeService;
using test::ScratchFolder;
using test::WorkerPlace;

TEST_CASE("A job counts by callgrind, and tells no times of such a run", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto plan = test::command_plan({"bin/main"});
    plan.samples = {};
    plan.callgrind = true;
    service.leases.push_back(test::lease_of({test::order_of(1, source)}, plan, {0, 0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto result = service.result("7-1");
    CHECK(result.failure.empty());
    REQUIRE(result.runs.size() == 2);
    for (const auto& run : result.runs) {
        CAPTURE(run.message);
        if (!why_no_callgrind().empty()) {
            CHECK(run.outcome == Outcome::unsupported);
            CHECK(run.message == "valgrind is not installed: apt-get install valgrind");
            continue;
        }
        REQUIRE(run.outcome == Outcome::passed);
        REQUIRE(run.samples.size() == 1);
        CHECK(run.samples[0].metric == Metric::callgrind_instructions);
        CHECK(run.samples[0].values.at(0) > 10'000);
        const auto first = result.runs[0].samples[0].values[0];
        CHECK(run.samples[0].values[0] == Approx(first).epsilon(0.01));
        REQUIRE(run.log);
        CHECK(service.contents.at(*run.log).find("valgrind --tool=callgrind") != std::string::npos);
    }
}
