#include "service/fleet/fleet_rows.hpp"

#include <catch2/catch.hpp>

#include "service/schedule/build_jobs.hpp"
#include "service/store/tokens.hpp"
#include "service/store/troubles.hpp"
#include "service/store/workers.hpp"
#include "tests/support/job_scene.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

/// A ledger with a fleet of the class `cpu`, whose own workers have not been heard of for long.
struct FleetScene : test::JobScene {
    FleetScene() {
        config.fleet.emplace();
        config.fleet->machine_classes["cpu"].max_allocations = 2;
        now_s += 1000;
    }

    /// One look at a cluster that has these jobs.
    FleetDecision look(const std::vector<ClusterJob>& jobs) {
        auto view = read_fleet(db, config, now_s);
        view.jobs = jobs;
        auto decision = decide(view);
        added = write_decision(db, config, decision, now_s);
        return decision;
    }

    Allocation only() { return list_open_allocations(db).at(0); }

    /// A worker on a node, with the allocation that it runs in.
    WorkerId start_worker() {
        look({});
        note_reply(db, only(), {40, {}}, now_s);
        const auto decision = look({{40, only().name, ClusterState::running, "", "n1"}});
        token = give_token(db, decision.starts.at(0), config.fleet->machine_classes["cpu"], now_s);
        note_started(db, decision.starts.at(0), now_s);
        return show("cpu@n1");
    }

    std::vector<Allocation> added;
    std::string token;
};

}  // namespace

TEST_CASE("A row stands before a machine is requested, once for each", "[service][fleet]") {
    FleetScene scene;
    scene.look({});
    CHECK(scene.added.empty());  // no job waits
    scene.add_job({scene.add_build()});
    scene.look({});
    REQUIRE(scene.added.size() == 1);
    CHECK(scene.only().state == AllocationState::planned);
    CHECK(is_own_name("vigil", scene.only().name));
    scene.look({});
    CHECK(scene.added.empty());
}

TEST_CASE("A worker of the fleet is of its class, and its token is for one allocation", "[fleet]") {
    FleetScene scene;
    scene.add_job({scene.add_build()});
    const auto worker = scene.start_worker();
    CHECK(scene.only().state == AllocationState::running);
    CHECK(scene.claim(worker));
    const auto token = find_token(scene.db, scene.token);
    REQUIRE(token);
    CHECK(token->name == "cpu@n1");
    CHECK(to_string(token->scopes) == "worker");
    CHECK(token->expires_at_s == scene.now_s + 14'400 + 600);
    const auto decision = scene.look({{40, scene.only().name, ClusterState::completed, "", "n1"}});
    CHECK(list_revoked(decision) == std::vector<std::string>{"cpu@n1"});
    CHECK_FALSE(find_token(scene.db, scene.token));
    CHECK(
        scene.count(
            "worker",
            "name = 'cpu@n1' AND state = 'draining' AND reason = 'its allocation ended'") == 1);
    CHECK(
        scene.count(
            "event",
            "kind = 'allocation.running' AND message LIKE 'vigil-cpu-% is running on n1'") == 1);
    CHECK(scene.count("allocation", "outcome = 'finished'") == 1);
}

TEST_CASE("Who is pre-empted loses no attempt, and whose node fails does", "[service][fleet]") {
    for (const auto says : {ClusterState::preempted, ClusterState::node_failed}) {
        FleetScene scene;
        const auto job = scene.add_job({scene.add_build()});
        REQUIRE(scene.claim(scene.start_worker()));
        REQUIRE(scene.state(job) == JobState::leased);
        scene.look({{40, scene.only().name, says, "", "n1"}});
        CHECK(scene.state(job) == JobState::queued);
        const auto lost =
            scene.db.load<int>("job", "SELECT lost_attempts FROM job WHERE id = ?1", job);
        CHECK(lost == (says == ClusterState::preempted ? 0 : 1));
        CHECK(scene.count("attempt", "outcome = 'lost'") == 1);
        CHECK(scene.added.size() == 1);
    }
}

TEST_CASE("The end of an allocation takes nothing from the next one there", "[service][fleet]") {
    FleetScene scene;
    for (int i = 0; i < 6; ++i) scene.add_job({scene.add_build()});
    scene.look({});
    REQUIRE(scene.added.size() == 2);
    const auto first = scene.added[0];
    const auto second = scene.added[1];
    const auto& limits = scene.config.fleet->machine_classes["cpu"];
    for (const auto& [allocation, job] : {std::pair{first, 40}, std::pair{second, 41}}) {
        const FleetStart start{allocation, job, "n1"};
        scene.token = give_token(scene.db, start, limits, scene.now_s);
        note_started(scene.db, start, scene.now_s);
    }
    REQUIRE(scene.claim(scene.show("cpu@n1")));
    scene.look(
        {{40, first.name, ClusterState::completed, "", "n1"},
         {41, second.name, ClusterState::running, "", "n1"}});
    CHECK(find_token(scene.db, scene.token));
    CHECK(scene.count("job", "state = 'leased'") == 1);
}

TEST_CASE("What keeps machines away is one trouble, which ends", "[service][fleet]") {
    FleetScene scene;
    scene.add_job({scene.add_build()});
    scene.look({});
    note_reply(scene.db, scene.only(), {{}, "Invalid account"}, scene.now_s);
    scene.look({});
    auto troubles = list_troubles(scene.db, "fleet.blocked");
    REQUIRE(troubles.size() == 1);
    CHECK(troubles[0].subject == "class/cpu");
    CHECK_THAT(troubles[0].message, Contains("Invalid account"));
    scene.now_s += retry_after_s;
    scene.look({});
    CHECK(list_troubles(scene.db, "fleet.blocked").empty());
    CHECK(scene.added.size() == 1);
    note_cluster(scene.db, "connect failure", scene.now_s);
    CHECK(list_troubles(scene.db, "fleet.unreachable").size() == 1);
    note_cluster(scene.db, std::nullopt, scene.now_s);
    CHECK(list_troubles(scene.db, "fleet.unreachable").empty());
}

TEST_CASE("A session's next block requests the node of its worker", "[service][fleet]") {
    FleetScene scene;
    scene.add_job({scene.add_build()});
    const auto worker = scene.start_worker();
    scene.look({{40, scene.only().name, ClusterState::completed, "", "n1"}});
    const auto job = scene.add_job({scene.add_build()});
    scene.db.execute("UPDATE job SET only_worker_id = ?2 WHERE id = ?1", job, worker);
    scene.db.execute("UPDATE allocation SET ended_at_s = ended_at_s - 1000");
    scene.look({});
    REQUIRE_FALSE(scene.added.empty());
    CHECK(scene.added[0].machine == "n1");
}

TEST_CASE("A verification on another machine requests any node but the first", "[service]") {
    FleetScene scene;
    const auto first = scene.add_job({scene.add_build()});
    const auto worker = scene.start_worker();
    cancel_job(scene.db, first, scene.now_s);
    scene.look({{40, scene.only().name, ClusterState::completed, "", "n1"}});
    const auto job = scene.add_job({scene.add_build()});
    scene.db.execute("UPDATE job SET except_worker_id = ?2 WHERE id = ?1", job, worker);
    scene.db.execute("UPDATE allocation SET ended_at_s = ended_at_s - 1000");
    const auto decision = scene.look({});
    REQUIRE(decision.requests.size() == 1);
    CHECK(decision.requests[0].node.empty());
    CHECK(decision.requests[0].not_nodes == std::set<std::string>{"n1"});
    CHECK(list_excepted_workers(scene.db).at(0).machine_class == "cpu");
}

TEST_CASE("Where builds wait, a node of the class that builds is requested", "[service][fleet]") {
    FleetScene scene;
    scene.config.machine_classes["builders"];
    scene.config.machine_classes["cpu"].build_class = "builders";
    scene.config.fleet->machine_classes["builders"] = scene.config.fleet->machine_classes["cpu"];
    const auto build = scene.add_build();
    for (int i = 0; i < 3; ++i) scene.add_job({build});
    CHECK(plan_builds(scene.db, scene.config, scene.now_s) == 1);
    auto requests = scene.look({}).requests;
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].machine_class == "builders");
    scene.config.workers["four"] = {"builders"};
    const auto four = scene.show("four");
    const auto lease = scene.claim(four).value();
    CHECK(scene.finish(lease, four, scene.result_of(lease)) == Taking::taken);
    requests = scene.look({}).requests;
    REQUIRE_FALSE(requests.empty());
    CHECK(requests[0].machine_class == "cpu");
}

TEST_CASE("No node is requested for work that waits for the next day", "[service][fleet]") {
    FleetScene scene;
    scene.config.projects["toy"].max_machine_hours_a_day = 1;
    scene.now_s = 20'000 * 86'400;
    scene.show("one");
    scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one).value();
    scene.now_s += 3600;
    CHECK(scene.finish(lease, scene.one, scene.result_of(lease)) == Taking::taken);
    scene.now_s += 1000;  // worker one is gone
    const auto job = scene.add_job({scene.add_build()});
    scene.db.execute("UPDATE job SET except_worker_id = ?2 WHERE id = ?1", job, scene.one);
    CHECK(scene.look({}).requests.empty());
    scene.add_job({scene.add_build()}, static_cast<int>(Priority::confirm));
    CHECK(read_fleet(scene.db, scene.config, scene.now_s).classes.at("cpu").jobs == 1);
    CHECK(scene.look({}).requests.size() == 1);
}

TEST_CASE("A node that differs is avoided, drained where allowed, and released", "[fleet]") {
    FleetScene scene;
    scene.add_job({scene.add_build()});
    const auto worker = scene.start_worker();
    Fingerprint other;
    other.cpu_model = "EPYC";
    other.cpus = 8;
    other.toolchain = "gcc";
    upsert_worker(scene.db, scene.config, "cpu@n1", other, false, scene.now_s);
    auto decision = scene.look({{40, scene.only().name, ClusterState::running, "", "n1"}});
    CHECK(decision.dismissals == std::vector<std::int64_t>{40});
    CHECK(decision.drains.empty());  // not allowed
    scene.config.fleet->machine_classes["cpu"].drain_differing = true;
    decision = scene.look({{40, scene.only().name, ClusterState::completed, "", "n1"}});
    REQUIRE(decision.requests.size() == 1);
    CHECK(decision.requests[0].not_nodes == std::set<std::string>{"n1"});
    REQUIRE(decision.drains.size() == 1);
    CHECK(decision.drains[0].node == "n1");
    CHECK(
        drain_reason(decision.drains[0]) ==
        "vigil: its machine differs from class cpu: CPU EPYC instead of Xeon");
    CHECK(find_differing(scene.db, worker)->drain_planned_at_s == scene.now_s);
    const auto planned_at_s = scene.now_s++;
    decision = scene.look({});  // as after a kill: the row says that it was to be asked
    REQUIRE(decision.drains.size() == 1);
    CHECK(find_differing(scene.db, worker)->drain_planned_at_s == planned_at_s);
    note_drained(scene.db, decision.drains[0], "Access denied", scene.now_s);
    CHECK(scene.look({}).drains.empty());
    auto troubles = list_troubles(scene.db, "worker.quarantined");
    REQUIRE(troubles.size() == 1);
    CHECK_THAT(
        troubles[0].message,
        Contains("(Access denied): scontrol update NodeName=n1 State=DRAIN Reason='vigil: "));
    release_worker(scene.db, "cpu@n1", scene.now_s);
    CHECK(read_fleet(scene.db, scene.config, scene.now_s).classes["cpu"].useless_nodes.empty());
    CHECK(scene.look({}).drains.empty());
    // As it is by a person's word: neither held nor drained again.
    upsert_worker(scene.db, scene.config, "cpu@n1", other, false, scene.now_s);
    CHECK(scene.count("worker", "name = 'cpu@n1' AND state = 'active'") == 1);
    CHECK(scene.look({}).drains.empty());
}

TEST_CASE("No node is requested for a job whose worker gets no jobs", "[service][fleet]") {
    FleetScene scene;
    const auto first = scene.add_job({scene.add_build()});
    const auto worker = scene.start_worker();
    cancel_job(scene.db, first, scene.now_s);
    scene.look({{40, scene.only().name, ClusterState::completed, "", "n1"}});
    const auto job = scene.add_job({scene.add_build()});
    scene.db.execute("UPDATE job SET only_worker_id = ?2 WHERE id = ?1", job, worker);
    hold_worker(scene.db, worker, "its canary moved", scene.now_s);
    CHECK(scene.look({}).requests.empty());
    release_worker(scene.db, "cpu@n1", scene.now_s);
    CHECK(scene.look({}).requests.size() == 1);
}

TEST_CASE("A moved row keeps its state machine", "[service][fleet]") {
    FleetScene scene;
    const auto id = add_allocation(scene.db, "cpu", "a", "", scene.now_s);
    using enum AllocationState;
    move_allocation(scene.db, {id, planned, running, 7, "n1", ""}, scene.now_s);
    CHECK(scene.only().started_at_s == scene.now_s);
    CHECK_THROWS_AS(
        move_allocation(scene.db, {id, running, planned, {}, "n1", ""}, scene.now_s), Error);
    const auto past = load_allocation_past(scene.db, "cpu", scene.now_s + 60);
    CHECK(past.planned == 1);
    CHECK(past.machine_s == 60);
    CHECK_FALSE(past.newest_end);
    end_allocation(scene.db, scene.only(), AllocationEnd::lost, "gone", scene.now_s + 90);
    CHECK(list_open_allocations(scene.db).empty());
    CHECK(load_allocation_past(scene.db, "cpu", scene.now_s + 200).machine_s == 90);
    CHECK(load_allocation_past(scene.db, "cpu", scene.now_s + 200).newest_reason == "gone");
}
