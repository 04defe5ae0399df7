#include <algorithm>

#include <catch2/catch.hpp>

#include "schema/profile/profile_json.hpp"
#include "tests/integration/worker/lease/worker_fixture.hpp"
#include "worker/run/callgrind.hpp"
#include "worker/run/profile/perf.hpp"

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

TEST_CASE("A profiled step brings costs by function, and no samples", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto plan = test::command_plan({"bin/main"});
    plan.profiled = true;
    service.leases.push_back(test::lease_of({test::order_of(1, source)}, plan, {0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto result = service.result("7-1");
    CHECK(result.failure.empty());
    REQUIRE(result.runs.size() == 1);
    const auto& run = result.runs[0];
    CAPTURE(run.message);
    if (!why_no_callgrind().empty()) {
        CHECK(run.outcome == Outcome::unsupported);
        return;
    }
    REQUIRE(run.outcome == Outcome::passed);
    CHECK(run.samples.empty());
    const auto profile = profile::parse_profile(run.profile);
    CHECK(profile.total > 10'000);
    const auto main = std::ranges::find(profile.functions, "main", &profile::Function::name);
    REQUIRE(main != profile.functions.end());
    CHECK(main->file == "src/main.c");
    CHECK(main->is_own);
}

TEST_CASE("A step profiled by dhat brings memory by the function that asked", "[worker][lease]") {
    if (!why_no_callgrind().empty()) {
        SUCCEED("valgrind is not installed");
        return;
    }
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto plan = test::command_plan({"bin/main"});
    plan.profiled = true;
    plan.profiler = Profiler::dhat;
    service.leases.push_back(test::lease_of({test::order_of(1, source)}, plan, {0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto result = service.result("7-1");
    REQUIRE(result.runs.size() == 1);
    CAPTURE(result.runs[0].message);
    REQUIRE(result.runs[0].outcome == Outcome::passed);
    const auto profile = profile::parse_profile(result.runs[0].profile);
    CHECK(profile.unit == profile::CostUnit::peak_bytes);
    const auto main = std::ranges::find(profile.functions, "main", &profile::Function::name);
    REQUIRE(main != profile.functions.end());  // what printf asks for, it asks for
    CHECK(main->file == "src/main.c");
    CHECK(main->is_own);
    CHECK(main->calls == 1);
    CHECK_FALSE(profile.stacks.empty());
}

TEST_CASE("A step is profiled by perf, or says what keeps it from that", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto plan = test::command_plan(
        {"sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; bin/main"});
    plan.profiled = true;
    plan.profiler = Profiler::perf;
    service.leases.push_back(test::lease_of({test::order_of(1, source)}, plan, {0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto result = service.result("7-1");
    REQUIRE(result.runs.size() == 1);
    const auto& run = result.runs[0];
    CAPTURE(run.message);
    CHECK(run.samples.empty());
    if (const auto none = why_no_perf(); !none.empty()) {
        CHECK(run.outcome == Outcome::unsupported);
        CHECK(run.message == none);
        return;
    }
    REQUIRE(run.outcome == Outcome::passed);
    const auto profile = profile::parse_profile(run.profile);
    CHECK(profile.unit == profile::CostUnit::samples);
    CHECK(profile.total > 0);
    CHECK(profile.iterations > 0);
}

TEST_CASE("A profiled step that never ends is cut, with its limit", "[worker][lease]") {
    if (!why_no_callgrind().empty()) {
        SUCCEED("valgrind is not installed");
        return;
    }
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto plan = test::command_plan({"sleep", "600"});
    plan.profiled = true;
    plan.limits.wall_time_s = 24;  // three quarters to look for marks, the rest to count
    service.leases.push_back(test::lease_of({test::order_of(1, source)}, plan, {0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto result = service.result("7-1");
    REQUIRE(result.runs.size() == 1);
    CAPTURE(result.runs[0].message);
    REQUIRE(result.runs[0].outcome == Outcome::passed);
    CHECK(profile::parse_profile(result.runs[0].profile).cut_after_s > 0);
}
