#include "service/fleet/decide.hpp"

#include <catch2/catch.hpp>

#include "service/fleet/cluster_words.hpp"
#include "tests/unit/service/fleet/fleet_view.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::test;
using Catch::Contains;

namespace {

AllocationEnd only_end(const FleetDecision& decision) {
    REQUIRE(decision.ends.size() == 1);
    CHECK(decision.moves.empty());
    CHECK(decision.starts.empty());
    return decision.ends[0].end;
}

}  // namespace

TEST_CASE("A job that waits is noted with Slurm's reason", "[service][fleet]") {
    const auto decision =
        decide(with(AllocationState::planned, ClusterState::pending, "AssocMaxJobsLimit"));
    REQUIRE(decision.moves.size() == 1);
    CHECK(decision.moves[0].to == AllocationState::pending);
    CHECK(decision.moves[0].cluster_job == 40);
    CHECK_THAT(decision.moves[0].reason, Contains("AssocMaxJobsLimit (the account has as many"));
    CHECK(decision.cancels.empty());
}

TEST_CASE("A job that got its node gets its token", "[service][fleet]") {
    for (const auto state : {AllocationState::planned, AllocationState::pending}) {
        const auto decision = decide(with(state, ClusterState::running));
        REQUIRE(decision.starts.size() == 1);
        CHECK(decision.starts[0].node == "n1");
        CHECK(decision.starts[0].job == 40);
        CHECK(decision.moves.empty());
    }
    CHECK(decide(with(AllocationState::running, ClusterState::running)).starts.empty());
    auto several = with(AllocationState::pending, ClusterState::running);
    several.jobs->at(0).node.clear();  // "n[1-2]": not what was requested
    CHECK(decide(several).starts.empty());
    CHECK(decide(with(AllocationState::pending, ClusterState::starting)).starts.empty());
}

TEST_CASE("Every end of Slurm's is one of ours", "[service][fleet]") {
    const auto ended = [](ClusterState says) {
        return only_end(decide(with(AllocationState::running, says)));
    };
    CHECK(ended(ClusterState::completed) == AllocationEnd::finished);
    CHECK(ended(ClusterState::preempted) == AllocationEnd::preempted);
    CHECK(ended(ClusterState::node_failed) == AllocationEnd::machine_failed);
    CHECK(ended(ClusterState::timed_out) == AllocationEnd::timed_out);
    CHECK(ended(ClusterState::out_of_memory) == AllocationEnd::out_of_memory);
    CHECK(ended(ClusterState::cancelled) == AllocationEnd::taken_back);
    CHECK(ended(ClusterState::failed) == AllocationEnd::failed);
    CHECK(is_taken_away(AllocationEnd::preempted));
    CHECK_FALSE(is_taken_away(AllocationEnd::machine_failed));
    const auto decision = decide(with(AllocationState::running, ClusterState::preempted));
    CHECK(decision.requests.size() == 1);  // its jobs wait for another machine
    CHECK(decision.cancels.empty());
}

TEST_CASE("A failure that would come again is not repeated at once", "[service][fleet]") {
    const auto decision = decide(with(AllocationState::running, ClusterState::out_of_memory));
    CHECK(decision.requests.empty());
    CHECK_THAT(decision.blocked.at("cpu"), Contains("out_of_memory"));
    auto view = waiting();
    auto& past = view.classes["cpu"].past;
    past.newest_end = AllocationEnd::refused;
    past.newest_reason = "Invalid account";
    past.newest_ended_at_s = now_s - retry_after_s + 1;
    CHECK(decide(view).requests.empty());
    CHECK_THAT(decide(view).blocked.at("cpu"), Contains("refused: Invalid account"));
    past.newest_ended_at_s = now_s - retry_after_s;
    CHECK(decide(view).requests.size() == 1);
    past.newest_end = AllocationEnd::finished;
    past.newest_ended_at_s = now_s;
    CHECK(decide(view).requests.size() == 1);
}

TEST_CASE("A job that waits for what never comes is cancelled and told", "[service][fleet]") {
    const auto decision_for = [](const char* reason) {
        return decide(with(AllocationState::pending, ClusterState::pending, reason));
    };
    for (const auto* reason :
         {"BadConstraints",
          "PartitionTimeLimit",
          "InvalidAccount",
          "QOSNotAllowed",
          "AssocMaxWallDurationPerJobLimit",
          "ReservationDeleted",
          "JobHoldMaxRequeue",
          "launch failed requeued held"}) {
        CAPTURE(reason);
        const auto decision = decision_for(reason);
        CHECK(only_end(decision) == AllocationEnd::impossible);
        CHECK(decision.cancels == std::vector<std::int64_t>{40});
        CHECK_THAT(decision.blocked.at("cpu"), Contains(reason));
        CHECK(decision.requests.empty());
    }
    for (const auto* reason :
         {"",
          "Resources",
          "Priority",
          "JobHeldAdmin",
          "ReqNodeNotAvail, UnavailableNodes:n1",
          "PartitionDown",
          "AssocGrpCpuLimit",
          "QOSMaxJobsPerUserLimit",
          "BeginTime"}) {
        CAPTURE(reason);
        CHECK(decision_for(reason).ends.empty());
    }
}

TEST_CASE("A requeued job loses its token, and gets another on its next node", "[service][fleet]") {
    auto decision = decide(with(AllocationState::running, ClusterState::pending, "BeginTime"));
    REQUIRE(decision.requeued.size() == 1);
    REQUIRE(decision.moves.size() == 1);
    CHECK(decision.moves[0].to == AllocationState::pending);
    CHECK(decision.ends.empty());
    auto view = with(AllocationState::running, ClusterState::running);  // unseen, elsewhere
    view.jobs->at(0).node = "n2";
    decision = decide(view);
    CHECK(decision.requeued.size() == 1);
    REQUIRE(decision.starts.size() == 1);
    CHECK(decision.starts[0].node == "n2");
}

TEST_CASE("What was stopped on its node is ended: its numbers hold the pause", "[service][fleet]") {
    const auto decision = decide(with(AllocationState::running, ClusterState::suspended));
    CHECK(only_end(decision) == AllocationEnd::preempted);
    CHECK(decision.cancels == std::vector<std::int64_t>{40});
}

TEST_CASE("The worker of a drained node ends after its job, and is told once", "[service][fleet]") {
    auto view = with(AllocationState::running, ClusterState::running);
    view.drained = {"n1"};
    const auto decision = decide(view);
    CHECK(decision.dismissals == std::vector<std::int64_t>{40});
    REQUIRE(decision.moves.size() == 1);
    CHECK_THAT(decision.moves[0].reason, Contains("drained"));
    view.allocations[0].reason = decision.moves[0].reason;
    CHECK(decide(view).dismissals.empty());
}

TEST_CASE("A controller that gives no answer changes nothing", "[service][fleet]") {
    using enum AllocationState;
    for (const auto state : {planned, pending, running, leaving}) {
        auto view = with(state, ClusterState::running);
        view.jobs.reset();
        view.now_s += 3600;
        const auto decision = decide(view);
        CHECK(decision.ends.empty());
        CHECK(decision.moves.empty());
        CHECK(decision.requests.empty());
        CHECK(decision.cancels.empty());
        CHECK_THAT(decision.blocked.at("cpu"), Contains("no answer"));
    }
}

TEST_CASE("A job that is not listed is looked up before it counts as over", "[service][fleet]") {
    auto view = with(AllocationState::running, ClusterState::running);
    view.jobs->clear();
    const auto decision = decide(view);
    CHECK(decision.look_ups == std::vector<std::int64_t>{40});
    CHECK(decision.ends.empty());
    CHECK(decision.requests.empty());
    view.looked_up[40] = ClusterJob{40, name, ClusterState::completed, "", "n1"};
    CHECK(only_end(decide(view)) == AllocationEnd::finished);
    view.looked_up[40] = ClusterJob{40, name, ClusterState::running, "", "n1"};
    CHECK(decide(view).ends.empty());
    view.looked_up[40] = std::nullopt;
    view.live_workers = {"cpu@n1"};  // forgotten, and its worker still speaks
    CHECK(decide(view).ends.empty());
    view.left_workers = {"cpu@n1"};
    CHECK(only_end(decide(view)) == AllocationEnd::finished);
    view.live_workers.clear();
    view.left_workers.clear();
    CHECK(only_end(decide(view)) == AllocationEnd::lost);
}

TEST_CASE("A row whose request never came ends, and is not requested twice", "[service][fleet]") {
    auto view = waiting();
    view.allocations = {allocation_in(AllocationState::planned)};
    CHECK(decide(view).ends.empty());
    view.now_s = view.allocations[0].created_at_s + request_settles_s;
    CHECK(only_end(decide(view)) == AllocationEnd::lost);
    CHECK(decide(view).requests.size() == 1);  // a new row with a new name
}

TEST_CASE("A job of ours that no row knows is cancelled, and no other", "[service][fleet]") {
    auto view = waiting(0);
    view.jobs = {
        {ClusterJob{1, name, ClusterState::running, "", "n1"},
         ClusterJob{2, name, ClusterState::completed, "", "n1"},
         ClusterJob{3, "vigil-cpu-0123456789abcde", ClusterState::running, "", "n1"},
         ClusterJob{4, "vigil-report", ClusterState::running, "", "n1"},
         ClusterJob{5, "vigil2-cpu-0123456789abcdef", ClusterState::running, "", "n1"},
         ClusterJob{6, "train", ClusterState::pending, "", ""}}};
    CHECK(decide(view).cancels == std::vector<std::int64_t>{1});
    view.classes["cpu"].jobs = 1;
    view.allocations = {allocation_in(AllocationState::planned)};
    view.jobs = {
        {ClusterJob{1, name, ClusterState::pending, "", ""},
         ClusterJob{2, name, ClusterState::pending, "", ""}}};
    CHECK(decide(view).cancels == std::vector<std::int64_t>{2});  // a second one of its name
}

TEST_CASE("What waits goes when no job needs it, or its class is gone", "[service][fleet]") {
    auto view = with(AllocationState::pending, ClusterState::pending, "Priority");
    view.classes["cpu"].jobs = 0;
    CHECK(only_end(decide(view)) == AllocationEnd::cancelled);
    CHECK(decide(view).cancels == std::vector<std::int64_t>{40});
    view = with(AllocationState::running, ClusterState::running);
    view.classes["cpu"].jobs = 0;  // a running one ends by itself when idle
    CHECK(decide(view).cancels.empty());
    view.classes.clear();
    CHECK(only_end(decide(view)) == AllocationEnd::cancelled);
    CHECK(decide(view).cancels == std::vector<std::int64_t>{40});
}

TEST_CASE("What does not change is noted once a minute", "[service][fleet]") {
    auto view = with(AllocationState::running, ClusterState::running);
    CHECK(decide(view).moves.empty());
    view.now_s = *view.allocations[0].seen_at_s + 60;
    REQUIRE(decide(view).moves.size() == 1);
    CHECK(decide(view).moves[0].from == decide(view).moves[0].to);
}

TEST_CASE("A queue that shrinks gives back what it is not worth any more", "[service][fleet]") {
    // Three wait for any node, the second one since longest; a fourth has its node.
    FleetView view = waiting(20);
    view.classes["cpu"].limits.max_allocations = 9;
    for (int i = 0; i < 4; ++i) {
        auto one = allocation_in(AllocationState::pending);
        one.id = AllocationId{i + 1};
        one.cluster_job = 40 + i;
        one.created_at_s = now_s - (i == 1 ? 900 : 100 - i);
        view.jobs->push_back({40 + i, name, ClusterState::pending, "Resources", ""});
        view.allocations.push_back(one);
    }
    view.allocations[3].state = AllocationState::running;
    view.allocations[3].machine = "n1";
    view.jobs->at(3) = {43, name, ClusterState::running, "", "n1"};
    CHECK(decide(view).cancels.empty());
    CHECK(decide(view).requests.empty());
    view.classes["cpu"].jobs = 15;
    CHECK(decide(view).cancels == std::vector<std::int64_t>{42});
    view.classes["cpu"].jobs = 6;
    auto decision = decide(view);
    CHECK(decision.cancels == std::vector<std::int64_t>{40, 42});
    CHECK(decision.requests.empty());
    REQUIRE(decision.ends.size() == 2);
    CHECK(decision.ends[0].end == AllocationEnd::cancelled);
    CHECK(decision.ends[0].reason == "fewer jobs wait now");
    view.classes["cpu"].jobs = 0;
    CHECK(decide(view).cancels == std::vector<std::int64_t>{41, 40, 42});
    view.classes["cpu"].wanted_nodes = {"n1"};  // held
    CHECK(decide(view).cancels.size() == 3);
    view.classes["cpu"].wanted_nodes = {"n1", "n2"};
    CHECK(decide(view).cancels == std::vector<std::int64_t>{40, 42});
    view.classes["cpu"].jobs = 20;
    view.classes["cpu"].own_workers = 2;
    CHECK(decide(view).cancels == std::vector<std::int64_t>{40, 42});
}
