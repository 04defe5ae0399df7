#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/wait.h>

#include "tests/integration/worker/lease/worker_fixture.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::FakeService;
using test::ScratchFolder;
using test::WorkerPlace;
namespace fs = std::filesystem;

namespace {

double median_of(const RunOutcome& run, Metric metric) {
    for (const auto& samples : run.samples) {
        if (samples.metric == metric) return samples.values.at(samples.values.size() / 2);
    }
    return -1;
}

std::string log_of(const FakeService& service, const std::optional<Digest>& digest) {
    REQUIRE(digest.has_value());
    return service.contents.at(*digest);
}

}  // namespace

TEST_CASE("A benchmark that interleaves runs all of a block at once", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto a = test::add_c_project(service, folder.path(), "100");
    const auto b = test::add_c_project(service, folder.path(), "200");
    // None ends before all four are there.
    auto plan = test::command_plan(
        {"/bin/sh",
         "-c",
         "exec 9<$VIGIL_TURNS/member-$VIGIL_TURNS_MEMBER; flock 9; for i in 0 1 2 3; do "
         "until [ -e $VIGIL_TURNS/over-$i ] || ! flock -s -n $VIGIL_TURNS/member-$i true; "
         "do sleep 0.01; done; done; bin/main"});
    plan.interleave = 4;
    service.leases.push_back(
        test::lease_of({test::order_of(1, a), test::order_of(2, b)}, plan, {0, 1, 1, 0}));
    WorkerPlace place(folder.path() / "state", service);

    REQUIRE(place.loop.run_once(0));

    const auto result = service.result("7-1");
    CHECK(result.failure.empty());
    REQUIRE(result.runs.size() == 4);
    const std::vector<double> expected{100, 200, 200, 100};
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i, result.runs[i].message);
        CHECK(result.runs[i].step == static_cast<int>(i));
        CHECK(median_of(result.runs[i], Metric::wall_time_ns) == expected[i]);
    }
}

TEST_CASE("Two builds are made from source and measured A B B A", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto a = test::add_c_project(service, folder.path(), "100");
    const auto b = test::add_c_project(service, folder.path(), "200");
    service.leases.push_back(test::lease_of(
        {test::order_of(1, a), test::order_of(2, b)},
        test::command_plan({"bin/main"}),
        {0, 1, 1, 0}));
    WorkerPlace place(folder.path() / "state", service);

    REQUIRE(place.loop.run_once(0));

    const auto result = service.result("7-1");
    CHECK(result.failure.empty());
    REQUIRE(result.builds.size() == 2);
    for (const auto& build : result.builds) {
        CAPTURE(build.message);
        CHECK(build.built);
        CHECK(service.contents.count(*build.product) == 1);
        CHECK(build.duration_ns > 0);
        CHECK_THAT(log_of(service, build.log), Catch::Contains("$ cc -O1"));
    }
    REQUIRE(result.runs.size() == 4);
    const std::vector<double> expected{100, 200, 200, 100};
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i, result.runs[i].message);
        CHECK(result.runs[i].step == static_cast<int>(i));
        CHECK(result.runs[i].outcome == Outcome::passed);
        CHECK(median_of(result.runs[i], Metric::wall_time_ns) == expected[i]);
        CHECK(median_of(result.runs[i], Metric::cpu_time_ns) > 0);
        CHECK(median_of(result.runs[i], Metric::peak_process_bytes) > 100'000);
        CHECK_THAT(log_of(service, result.runs[i].log), Catch::Contains("$ bin/main"));
    }
    CHECK(result.before.facts.count("cpu_model") == 1);
    CHECK(result.before.facts.count("sandbox") == 1);
    CHECK(result.after.readings.count("load_1_min") == 1);
    CHECK(place.results.empty());
    CHECK(service.count("fetch " + a.str()) == 1);
}

TEST_CASE("Equal sources give equal products, made by other workers too", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    std::vector<Digest> products;
    for (const auto* state : {"one", "another-and-longer"}) {
        service.leases.push_back(
            test::lease_of({test::order_of(1, source)}, test::command_plan({"bin/main"}), {0}));
        WorkerPlace place(folder.path() / state, service);
        REQUIRE(place.loop.run_once(0));
        products.push_back(*service.result("7-1").builds.at(0).product);
    }
    CHECK(products[0] == products[1]);
}

TEST_CASE("A product that exists is not built again", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto order = test::order_of(1, source);
    service.leases.push_back(test::lease_of({order}, test::command_plan({"bin/main"}), {0}));
    {
        WorkerPlace place(folder.path() / "one", service);
        REQUIRE(place.loop.run_once(0));
    }
    order.product = service.result("7-1").builds.at(0).product;
    service.leases.push_back(test::lease_of({order}, test::command_plan({"bin/main"}), {0, 0}));
    service.calls.clear();
    WorkerPlace place(folder.path() / "two", service);
    REQUIRE(place.loop.run_once(0));
    CHECK(service.result("7-1").builds.empty());
    CHECK(service.result("7-1").runs.size() == 2);
    CHECK(service.count("fetch " + order.product->str()) == 1);
    CHECK(service.count("fetch " + source.str()) == 0);
}

TEST_CASE("A product that the service has dropped is made again", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    auto order = test::order_of(1, test::add_c_project(service, folder.path(), "100"));
    order.product = wire::sha256("dropped");
    service.leases.push_back(test::lease_of({order}, test::command_plan({"bin/main"}), {0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    CHECK(service.result("7-1").builds.size() == 1);
    CHECK(service.result("7-1").runs.size() == 1);
}

TEST_CASE("A build that fails leaves its steps without runs, the others run", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto good = test::add_c_project(service, folder.path(), "100");
    const auto bad = test::add_c_project(service, folder.path(), "1\"; this is no C");
    service.leases.push_back(test::lease_of(
        {test::order_of(1, good), test::order_of(2, bad)},
        test::command_plan({"bin/main"}),
        {0, 1, 1, 0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto result = service.result("7-1");
    CHECK(result.failure.empty());
    REQUIRE(result.builds.size() == 2);
    CHECK(result.builds[0].built);
    CHECK_FALSE(result.builds[1].built);
    CHECK_THAT(result.builds[1].message, Catch::Contains("error:"));
    CHECK_THAT(log_of(service, result.builds[1].log), Catch::Contains("exit code 1"));
    REQUIRE(result.runs.size() == 2);
    CHECK(result.runs[0].step == 0);
    CHECK(result.runs[1].step == 3);
}

TEST_CASE("Recipes that never end, make nothing or name nothing fail clearly", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    std::vector<BuildOrder> builds(4, test::order_of(1, source));
    builds[0].recipe.commands = {{"sleep", "1000"}};
    builds[0].recipe.limits.wall_time_s = 1;
    builds[1].id = BuildId{2};
    builds[1].recipe.commands = {{"true"}};
    builds[2].id = BuildId{3};
    builds[2].recipe.outputs = {"../../../etc/passwd"};
    builds[3].id = BuildId{4};
    builds[3].recipe.commands = {{"no-such-tool"}};
    service.leases.push_back(
        test::lease_of(builds, test::command_plan({"bin/main"}), {0, 1, 2, 3}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto result = service.result("7-1");
    REQUIRE(result.builds.size() == 4);
    CHECK_THAT(result.builds[0].message, Catch::Contains("not done after 1 s"));
    CHECK_THAT(result.builds[1].message, Catch::Contains("there is no") || Catch::Contains("bin"));
    CHECK_THAT(result.builds[2].message, Catch::Contains("rises"));
    CHECK_THAT(result.builds[3].message, Catch::Contains("no-such-tool cannot be started"));
    CHECK(result.runs.empty());
    CHECK(result.failure.empty());
}

TEST_CASE("Garbage, a wrong answer and a time-out are told apart", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto lease =
        test::lease_of({test::order_of(1, source)}, test::command_plan({"echo", "fast"}), {0});
    for (const auto* script : {"exit 3", "exit 77", "sleep 1000", "kill -SEGV $$"}) {
        auto plan = test::command_plan({"sh", "-c", script});
        if (plan.command.back() == "sleep 1000") plan.limits.wall_time_s = 1;
        lease.plan.benchmarks.push_back(plan);
        lease.plan.steps.push_back({0, static_cast<int>(lease.plan.benchmarks.size()) - 1});
    }
    service.leases.push_back(lease);
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto runs = service.result("7-1").runs;
    REQUIRE(runs.size() == 5);
    CHECK(runs[0].outcome == Outcome::failed);
    CHECK_THAT(runs[0].message, Catch::Contains("no number"));
    CHECK(runs[1].outcome == Outcome::wrong);
    CHECK(runs[2].outcome == Outcome::unsupported);
    CHECK(runs[3].outcome == Outcome::timeout);
    CHECK(runs[4].outcome == Outcome::failed);
    for (const auto& run : runs) CHECK(run.samples.empty());
}

TEST_CASE("Both builds run at the same path with the same environment", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    const auto a = test::add_c_project(service, folder.path(), "100");
    const auto b = test::add_c_project(service, folder.path(), "200");
    auto plan = test::command_plan({"sh", "-c", "pwd; env | sort; ls -l /proc/self/exe"});
    plan.samples.format = SampleFormat::none;
    auto lease = test::lease_of({test::order_of(1, a), test::order_of(2, b)}, plan, {0, 1});
    lease.environment = {{"ATEN_CPU_CAPABILITY", "default"}};
    service.leases.push_back(lease);
    WorkerPlace place(folder.path() / "state", service);
    if (!place.runner.sandboxed()) return;
    REQUIRE(place.loop.run_once(0));
    const auto runs = service.result("7-1").runs;
    const auto printed = [&](const RunOutcome& run) {
        const auto log = log_of(service, run.log);
        const auto start = log.find("--- standard output");
        return log.substr(start, log.find("--- standard error") - start);
    };
    CHECK_THAT(printed(runs.at(0)), Catch::Contains("/vigil/run\nATEN_CPU_CAPABILITY=default"));
    CHECK(printed(runs.at(0)).substr(0, 300) == printed(runs.at(1)).substr(0, 300));
}

TEST_CASE("A plan runs in its folder of the product", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    auto order = test::order_of(1, test::add_c_project(service, folder.path(), "100"));
    order.recipe.commands = {
        {"sh", "-c", "mkdir cpu cu126; echo 7 >cpu/number; ln -s cpu other; touch file"}};
    order.recipe.outputs = {"cpu", "cu126", "other", "file"};
    auto lease = test::lease_of({order}, test::command_plan({"cat", "number"}), {0});
    lease.plan.benchmarks[0].folder = "cpu";
    for (const auto* name : {"cu126", "rocm", "other", "file"}) {
        auto plan = lease.plan.benchmarks[0];
        plan.folder = name;
        lease.plan.benchmarks.push_back(plan);
        lease.plan.steps.push_back({0, static_cast<int>(lease.plan.benchmarks.size()) - 1});
    }
    service.leases.push_back(lease);
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto runs = service.result("7-1").runs;
    REQUIRE(runs.size() == 5);
    CHECK(runs[0].outcome == Outcome::passed);
    for (std::size_t i = 1; i < runs.size(); ++i) {  // empty, missing, a link, a file
        CHECK(runs[i].outcome == Outcome::unsupported);
        CHECK_THAT(
            runs[i].message,
            Catch::Contains("nothing in its folder " + *lease.plan.benchmarks[i].folder));
    }
}

TEST_CASE("Input that is hostile or gone does not break the worker", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    auto lease = test::lease_of(
        {test::order_of(1, service.add_content("no archive"))},
        test::command_plan({"bin/main"}),
        {0});
    service.leases.push_back(lease);
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    CHECK_THAT(service.result("7-1").builds.at(0).message, Catch::Contains("no archive we read"));
    CHECK(service.result("7-1").failure.empty());

    lease.builds[0].input = wire::sha256("gone");
    lease.attempt = 2;
    service.leases.push_back(lease);
    REQUIRE(place.loop.run_once(0));
    CHECK_THAT(service.result("7-2").failure, Catch::Contains("no content"));

    const auto tampered = wire::sha256("what was promised");
    service.contents[tampered] = "something else";
    lease.builds[0].input = tampered;
    lease.attempt = 3;
    service.leases.push_back(lease);
    REQUIRE(place.loop.run_once(0));
    CHECK_THAT(service.result("7-3").failure, Catch::Contains("digest"));
}

TEST_CASE(
    "An archive's outputs are taken as they are when there are no commands", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    test::write_file(folder.path() / "in/package/tool", "#!/bin/sh\necho 42\n");
    fs::permissions(folder.path() / "in/package/tool", fs::perms(0755));
    test::write_file(folder.path() / "in/package/notes", "not wanted\n");
    archive::pack_folder(folder.path() / "in", {"."}, folder.path() / "in.tar");
    auto order = test::order_of(1, service.add_content_of(folder.path() / "in.tar"));
    order.input_kind = InputKind::archive;
    order.recipe.commands.clear();
    order.recipe.outputs = {"package/tool"};
    service.leases.push_back(test::lease_of({order}, test::command_plan({"package/tool"}), {0}));
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    const auto result = service.result("7-1");
    REQUIRE(result.runs.size() == 1);
    CHECK(median_of(result.runs[0], Metric::wall_time_ns) == 42);
}
