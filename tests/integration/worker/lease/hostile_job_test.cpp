// What one job does to its worker, the next one must not feel.

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "tests/integration/worker/lease/worker_fixture.hpp"
#include "tests/support/as_nobody.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::FakeService;
using test::ScratchFolder;
using test::WorkerPlace;
namespace fs = std::filesystem;

namespace {

/// A job that locks what it can reach, in its build and in its run.
Lease locking_job(FakeService& service, const fs::path& folder) {
    const std::string lock =
        "mkdir -p /tmp/a/b locked/b 2>/dev/null; echo x > /tmp/a/b/f; "
        "chmod 000 /tmp/a/b; chmod 000 /tmp/a; chmod 555 locked 2>/dev/null; chmod 000 /tmp; ";
    auto order = test::order_of(1, test::add_c_project(service, folder, "100"));
    order.recipe.commands.push_back({"/bin/sh", "-c", lock + "chmod 000 src locked; true"});
    auto lease =
        test::lease_of({order}, test::command_plan({"/bin/sh", "-c", lock + "echo 5"}), {0, 0});
    return lease;
}

std::string wrong_with(const JobResult& result, std::size_t runs) {
    if (!result.failure.empty()) return "failure: " + result.failure;
    if (result.runs.size() != runs) return "runs are missing";
    for (const auto& run : result.runs) {
        if (run.outcome != Outcome::passed) return "run: " + run.message;
    }
    return "";
}

}  // namespace

TEST_CASE("A job that locks its folders stops no later job", "[worker][lease][hostile]") {
    const ScratchFolder folder;
    test::give_to_nobody(folder.path());
    const auto wrong = test::as_nobody([&]() -> std::string {
        FakeService service;
        auto lease = locking_job(service, folder.path());
        service.leases.push_back(lease);
        for (int i = 2; i < 5; ++i) {
            lease.job = JobId{6 + i};
            service.leases.push_back(lease);
        }
        WorkerPlace place(folder.path() / "state", service);
        while (!service.leases.empty()) place.loop.run_once(0);
        for (const auto* name : {"7-1", "8-1", "9-1", "10-1"}) {
            const auto found = wrong_with(service.result(name), 2);
            if (!found.empty()) return std::string(name) + ": " + found;
        }
        return "";
    });
    CHECK(wrong == "");
}

TEST_CASE("A build that locks its own outputs is a failed build", "[worker][lease][hostile]") {
    const ScratchFolder folder;
    test::give_to_nobody(folder.path());
    const auto wrong = test::as_nobody([&]() -> std::string {
        FakeService service;
        auto order = test::order_of(1, test::add_c_project(service, folder.path(), "100"));
        order.recipe.commands.push_back({"chmod", "000", "bin"});
        service.leases.push_back(test::lease_of({order}, test::command_plan({"bin/main"}), {0}));
        WorkerPlace place(folder.path() / "state", service);
        place.loop.run_once(0);
        const auto result = service.result("7-1");
        if (!result.failure.empty()) return "failure: " + result.failure;
        if (result.builds.at(0).built) return "it was built";
        return result.builds.at(0).message.find("its mode") == std::string::npos
                   ? result.builds.at(0).message
                   : "";
    });
    CHECK(wrong == "");
}

TEST_CASE("A worker that cannot make its place says so and takes no job", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    service.leases.push_back(test::lease_of(
        {test::order_of(1, test::add_c_project(service, folder.path(), "100"))},
        test::command_plan({"bin/main"}),
        {0}));
    WorkerPlace place(folder.path() / "state", service);
    JobRunner lost(
        place.runner, service, place.cache, {"/proc/self/work", {}, "", ""}, "toolchain");
    JobLoop loop(service, lost, place.results, place.flags, Claim{});
    CHECK_FALSE(loop.run_once(0));
    REQUIRE(service.claims.size() == 1);
    CHECK_THAT(service.claims[0].cannot_work, Catch::Contains("/proc/self/work"));
    CHECK(service.leases.size() == 1);
    CHECK(place.loop.run_once(0));
    CHECK(service.claims[1].cannot_work.empty());
}

TEST_CASE(
    "A failure before anything ran is the worker's, later ones the job's", "[worker][lease]") {
    const ScratchFolder folder;
    FakeService service;
    auto order = test::order_of(1, test::add_c_project(service, folder.path(), "100"));
    auto lease = test::lease_of({order}, test::command_plan({"bin/main"}), {0});
    lease.key = "of this attempt";
    WorkerPlace place(folder.path() / "state", service);
    JobControl control;
    JobRunner lost(
        place.runner, service, place.cache, {"/proc/self/work", {}, "", ""}, "toolchain");
    const auto failed = lost.run(lease, control);
    CHECK(failed.result.fault == Fault::worker);
    CHECK(failed.result.key == "of this attempt");

    lease.builds[0].input = wire::sha256("gone");
    const auto gone = place.jobs.run(lease, control);
    CHECK_FALSE(gone.result.failure.empty());
    CHECK(gone.result.fault == Fault::job);  // every worker would meet it

    lease.builds[0] = order;
    lease.plan.benchmarks[0].kind = BenchmarkKind::torch;
    JobRunner bare(
        place.runner,
        service,
        place.cache,
        {folder.path() / "work", {}, folder.path() / "b", folder.path() / "no"},
        "toolchain");
    const auto without = bare.run(lease, control);
    CHECK_THAT(without.result.failure, Catch::Contains("bench_source"));
    CHECK(without.result.fault == Fault::worker);
}

TEST_CASE("A result that is kept for another ledger does not hold up its worker", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    auto lease = test::lease_of({test::order_of(1, source)}, test::command_plan({"bin/main"}), {0});
    lease.key = "of the ledger before";
    WorkerPlace place(folder.path() / "state", service);
    JobControl control;
    place.results.keep(place.jobs.run(lease, control));
    lease.key = "of the new ledger";  // with the same numbers
    service.leases.push_back(lease);
    service.before_put = [](const JobResult& result) {
        if (result.key != "of the new ledger") throw Error(Errc::conflict, "another ledger's");
    };
    CHECK(place.results.deliver(service));
    CHECK(fs::exists(folder.path() / "state/results/refused/7-1/result.json"));
    REQUIRE(place.loop.run_once(0));
    CHECK(service.result("7-1").key == "of the new ledger");
}

TEST_CASE("A refused token stops the worker, and its result is kept", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    const auto source = test::add_c_project(service, folder.path(), "100");
    WorkerPlace place(folder.path() / "state", service);
    JobControl control;
    place.results.keep(place.jobs.run(
        test::lease_of({test::order_of(1, source)}, test::command_plan({"bin/main"}), {0}),
        control));
    service.before_call = [](const std::string& call) {
        if (call == "put_result") throw Error(Errc::denied, "the token is not known");
    };
    CHECK_THROWS_WITH(place.loop.run(), Catch::Contains("token"));
    CHECK_FALSE(place.results.empty());
}
