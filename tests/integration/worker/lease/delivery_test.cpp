#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/wait.h>

#include "tests/integration/worker/lease/worker_fixture.hpp"
#include "worker/lease/heartbeats.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::FakeService;
using test::ScratchFolder;
using test::WorkerPlace;
namespace fs = std::filesystem;

namespace {

Lease small_job(FakeService& service, const fs::path& folder, Command command) {
    const auto source = test::add_c_project(service, folder, "100");
    return test::lease_of({test::order_of(1, source)}, test::command_plan(std::move(command)), {0});
}

Error out_of_reach() {
    return Error(Errc::unavailable, "the service is out of reach");
}

}  // namespace

TEST_CASE(
    "A worker that is killed before its result is acknowledged sends it again", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    service.leases.push_back(small_job(service, folder.path(), {"bin/main"}));
    const pid_t killed = ::fork();
    REQUIRE(killed >= 0);
    if (killed == 0) {
        service.before_call = [](const std::string& call) {
            if (call == "put_result") ::kill(::getpid(), SIGKILL);
        };
        WorkerPlace place(folder.path() / "state", service);
        place.loop.run_once(0);
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(killed, &status, 0) == killed);
    REQUIRE(WIFSIGNALED(status));

    REQUIRE(service.results.empty());
    WorkerPlace place(folder.path() / "state", service);
    CHECK_FALSE(place.results.empty());
    CHECK(place.results.deliver(service));
    const auto result = service.result("7-1");
    CHECK(result.runs.at(0).outcome == Outcome::passed);
    CHECK(service.contents.count(*result.builds.at(0).product) == 1);
    CHECK(service.contents.count(*result.runs.at(0).log) == 1);
    CHECK(place.results.empty());
}

TEST_CASE("A result is kept and tried again while the service is out of reach", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    service.leases.push_back(small_job(service, folder.path(), {"bin/main"}));
    int failures = 2;
    service.before_call = [&](const std::string& call) {
        if (call == "put_result" && failures-- > 0) throw out_of_reach();
    };
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    CHECK(service.results.size() == 1);
    CHECK(place.results.empty());
}

TEST_CASE("A result that is refused as stale is set aside and does not block", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    const auto lease = small_job(service, folder.path(), {"bin/main"});
    service.leases.push_back(lease);
    service.before_call = [](const std::string& call) {
        if (call == "put_result") throw Error(Errc::conflict, "the attempt is stale");
    };
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    CHECK(place.results.empty());
    CHECK(fs::exists(folder.path() / "state/results/refused/7-1/result.json"));
}

TEST_CASE("A half-written result of a killed worker is not sent", "[delivery]") {
    const ScratchFolder folder;
    test::write_file(folder.path() / "7-1.partial/result.json", "{");
    FakeService service;
    ResultBox box(folder.path());
    CHECK(box.deliver(service));
    CHECK(service.results.empty());
    CHECK_FALSE(fs::exists(folder.path() / "7-1.partial"));
}

TEST_CASE("A cancelled job is ended and sends nothing", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    auto lease = small_job(service, folder.path(), {"sleep", "1000"});
    lease.ttl_s = 1;
    lease.plan.benchmarks[0].limits.wall_time_s = 600;
    service.leases.push_back(lease);
    service.on_heartbeat = [] { return HeartbeatReply{true, 1}; };
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    CHECK(service.results.empty());
    CHECK(place.results.empty());
}

TEST_CASE("A job whose lease was lost is ended and sends nothing", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    auto lease = small_job(service, folder.path(), {"sleep", "1000"});
    lease.ttl_s = 1;
    lease.plan.benchmarks[0].limits.wall_time_s = 600;
    service.leases.push_back(lease);
    service.on_heartbeat = []() -> HeartbeatReply { throw Error(Errc::conflict, "stale"); };
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    CHECK(service.results.empty());
}

TEST_CASE("A service that cannot be reached for a while does not end the job", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    auto lease = small_job(service, folder.path(), {"sh", "-c", "sleep 1; echo 5"});
    lease.ttl_s = 1;
    service.leases.push_back(lease);
    int failures = 0;
    service.on_heartbeat = [&]() -> HeartbeatReply {
        ++failures;
        throw out_of_reach();
    };
    WorkerPlace place(folder.path() / "state", service);
    REQUIRE(place.loop.run_once(0));
    CHECK(failures >= 1);
    CHECK(service.result("7-1").runs.at(0).outcome == Outcome::passed);
}

TEST_CASE("Draining finishes the job at hand, with heartbeats, and claims no other", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    auto lease = small_job(service, folder.path(), {"sh", "-c", "sleep 1; echo 5"});
    lease.ttl_s = 1;
    service.leases.push_back(lease);
    service.leases.push_back(lease);
    WorkerPlace place(folder.path() / "state", service);
    service.before_call = [&](const std::string& call) {
        if (call == "claim" && service.leases.empty()) place.flags.stop();  // it should not
    };
    int beats = 0;
    service.on_heartbeat = [&] {
        ++beats;
        place.flags.drain();
        return HeartbeatReply{false, 1};
    };
    place.loop.run();
    CHECK(beats >= 2);
    CHECK(service.count("claim") == 1);
    CHECK(service.result("7-1").runs.at(0).outcome == Outcome::passed);
}

TEST_CASE(
    "A worker that is to end when idle ends after its job, and takes its leave", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    service.leases.push_back(small_job(service, folder.path(), {"sh", "-c", "sleep 2; echo 5"}));
    WorkerPlace place(folder.path() / "state", service);
    place.loop.run(std::chrono::seconds(1));  // shorter than its job
    CHECK(service.result("7-1").runs.at(0).outcome == Outcome::passed);
    REQUIRE(service.claims.size() >= 2);
    for (std::size_t i = 0; i + 1 < service.claims.size(); ++i) {
        CHECK_FALSE(service.claims[i].draining);
    }
    CHECK(service.claims.back().draining);
}

TEST_CASE("A worker that is to end when idle ends though no service hears it", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    WorkerPlace place(folder.path() / "state", service);
    service.before_call = [](const std::string&) {
        throw Error(Errc::unavailable, "nobody there");
    };
    place.loop.run(std::chrono::seconds(1));
    CHECK(service.claims.empty());
}

TEST_CASE("Stopping ends the job at hand and tells the service why", "[delivery]") {
    const ScratchFolder folder;
    FakeService service;
    auto lease = small_job(service, folder.path(), {"sleep", "1000"});
    lease.plan.benchmarks[0].limits.wall_time_s = 600;
    lease.ttl_s = 1;
    service.leases.push_back(lease);
    WorkerPlace place(folder.path() / "state", service);
    service.before_call = [&](const std::string& call) {
        if (call == "claim" && service.leases.empty()) place.flags.stop();
    };
    service.on_heartbeat = [&] {
        place.flags.stop();
        return HeartbeatReply{false, 1};
    };
    place.loop.run();
    CHECK_THAT(service.result("7-1").failure, Catch::Contains("told to stop"));
}

TEST_CASE("The cache drops what was used longest ago, never what the job holds", "[cache]") {
    const ScratchFolder folder;
    FakeService service;
    const auto a = service.add_content(std::string(100, 'a'));
    const auto b = service.add_content(std::string(100, 'b'));
    const auto c = service.add_content(std::string(100, 'c'));
    {
        ContentCache cache(folder.path() / "cache", 250);
        cache.fetch(a, service);
        cache.fetch(b, service);
        CHECK(cache.bytes() == 200);
        cache.fetch(c, service);
        CHECK(cache.bytes() == 300);  // all three are held
        cache.release_all();
        CHECK(cache.bytes() == 200);
        CHECK_THROWS_AS(cache.load(a), Error);
        cache.release_all();
        CHECK(fs::exists(cache.fetch(b, service)));
        CHECK(service.count("fetch " + b.str()) == 1);
    }
    ContentCache again(folder.path() / "cache", 250);  // after a restart
    CHECK(again.bytes() == 200);
    again.fetch(c, service);
    CHECK(service.count("fetch " + c.str()) == 1);
}
