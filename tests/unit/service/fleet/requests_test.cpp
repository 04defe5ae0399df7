#include <catch2/catch.hpp>

#include "service/fleet/decide.hpp"
#include "tests/unit/service/fleet/fleet_view.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::test;
using Catch::Contains;

TEST_CASE("A queue is worth as many machines as its jobs ask for", "[service][fleet]") {
    CHECK(decide(waiting(0)).requests.empty());
    CHECK(decide(waiting(1)).requests.size() == 1);
    CHECK(decide(waiting(5)).requests.size() == 1);  // jobs_each
    CHECK(decide(waiting(6)).requests.size() == 2);
    CHECK(decide(waiting(1000)).requests.size() == 3);  // max_allocations
    auto view = waiting(10);
    view.classes["cpu"].own_workers = 1;
    CHECK(decide(view).requests.size() == 1);
    view.classes["cpu"].own_workers = 2;
    CHECK(decide(view).requests.empty());
}

TEST_CASE("Beside a worker that a job must not go to, another one is requested", "[service]") {
    auto view = with(AllocationState::running, ClusterState::running);
    view.classes["cpu"].jobs = 1;
    CHECK(decide(view).requests.empty());
    view.classes["cpu"].not_enough = {"cpu@n1"};
    const auto requests = decide(view).requests;
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].node.empty());
    CHECK(requests[0].not_nodes == std::set<std::string>{"n1"});
    view.classes["cpu"].own_workers = 1;  // it is another one
    CHECK(decide(view).requests.empty());
    view.classes["cpu"].own_workers = 0;
    view.classes["cpu"].limits.max_allocations = 1;
    CHECK(decide(view).requests.empty());

    auto own = waiting(1);
    own.classes["cpu"].own_workers = 1;
    CHECK(decide(own).requests.empty());
    own.classes["cpu"].not_enough = {"by-hand"};
    REQUIRE(decide(own).requests.size() == 1);
    CHECK(decide(own).requests[0].not_nodes.empty());
    own.classes["cpu"].own_workers = 2;
    CHECK(decide(own).requests.empty());
}

TEST_CASE("A machine that is on its way is the other one", "[service][fleet]") {
    auto view = with(AllocationState::pending, ClusterState::pending, "Resources");
    view.classes["cpu"].jobs = 1;
    view.classes["cpu"].not_enough = {"cpu@n1"};  // whose allocation has ended
    CHECK(decide(view).requests.empty());
    view.allocations.clear();
    view.jobs->clear();
    const auto requests = decide(view).requests;
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].not_nodes == std::set<std::string>{"n1"});
}

TEST_CASE("Nodes whose workers get no jobs are avoided, and given back", "[service][fleet]") {
    auto view = with(AllocationState::running, ClusterState::running);
    view.classes["cpu"].useless_nodes = {"n1", "n2"};
    view.classes["cpu"].jobs = 6;
    auto decision = decide(view);
    CHECK(decision.dismissals == std::vector<std::int64_t>{40});
    REQUIRE(decision.moves.size() == 1);
    CHECK_THAT(decision.moves[0].reason, Contains("gets no jobs"));
    REQUIRE(decision.requests.size() == 1);
    CHECK(decision.requests[0].not_nodes == std::set<std::string>{"n1", "n2"});
    view.allocations[0].reason = decision.moves[0].reason;
    CHECK(decide(view).dismissals.empty());  // told once
    auto other = waiting(1);
    other.classes["cpu"].useless_nodes = {"n1", "n2"};
    other.classes["cpu"].not_enough = {"cpu@n3"};
    CHECK(decide(other).requests.at(0).not_nodes == std::set<std::string>{"n1", "n2", "n3"});
    view.drains = {{{}, "n1"}};
    CHECK(decide(view).drains.size() == 1);
    view.jobs.reset();
    CHECK(decide(view).drains.empty());  // no answer
}

TEST_CASE("What was requested is not requested again", "[service][fleet]") {
    auto view = with(AllocationState::planned, ClusterState::pending, "Resources");
    CHECK(decide(view).requests.empty());
    view.jobs->clear();  // it may be under way
    CHECK(decide(view).requests.empty());
    CHECK(decide(view).ends.empty());
    view = with(AllocationState::running, ClusterState::running);
    CHECK(decide(view).requests.empty());
    view = with(AllocationState::leaving, ClusterState::completing);
    CHECK(decide(view).requests.size() == 1);
}

TEST_CASE("Limits of requests, machine hours and machines hold", "[service][fleet]") {
    auto view = waiting(1000);
    view.classes["cpu"].past.planned = 18;
    CHECK(decide(view).requests.size() == 2);
    view.classes["cpu"].past.planned = 20;
    CHECK(decide(view).requests.empty());
    CHECK_THAT(decide(view).blocked.at("cpu"), Contains("max_requests_an_hour"));
    view = waiting(1000);
    view.classes["cpu"].limits.max_machine_hours_a_day = 10;
    view.classes["cpu"].past.machine_s = 36'000 - 1;
    CHECK(decide(view).requests.size() == 3);
    view.classes["cpu"].past.machine_s = 36'000;
    CHECK(decide(view).requests.empty());
    CHECK_THAT(decide(view).blocked.at("cpu"), Contains("max_machine_hours_a_day"));
    view = waiting(1000);
    view.classes["cpu"].limits.max_allocations = 0;
    CHECK(decide(view).requests.empty());
}

TEST_CASE("A job for one worker requests that worker's node", "[service][fleet]") {
    auto view = waiting(0);
    view.classes["cpu"].wanted_nodes = {"n1", "n2"};
    auto decision = decide(view);
    REQUIRE(decision.requests.size() == 2);
    CHECK(decision.requests[0].node == "n1");
    view.allocations = {allocation_in(AllocationState::pending, "n1")};
    view.jobs = {{ClusterJob{40, name, ClusterState::pending, "Resources", ""}}};
    decision = decide(view);
    CHECK(decision.cancels.empty());
    REQUIRE(decision.requests.size() == 1);
    CHECK(decision.requests[0].node == "n2");
}
