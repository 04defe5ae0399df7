#include "service/app/fleet_loop.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/fleet/worker_places.hpp"
#include "service/store/troubles.hpp"
#include "tests/support/job_scene.hpp"
#include "tests/support/run_on.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

namespace fs = std::filesystem;

/// A cluster in memory.
struct FakeCluster : Cluster {
    std::vector<ClusterJob> jobs;
    std::vector<ClusterRequest> requests;
    std::vector<std::int64_t> cancelled;
    int polls = 0;
    bool reachable = true;
    bool answers = true;  ///< else it takes a request and does not say so

    ClusterReply request(const ClusterRequest& request) override {
        requests.push_back(request);
        const auto id = static_cast<std::int64_t>(requests.size());
        jobs.push_back({id, request.name, ClusterState::pending, "Resources", ""});
        return answers ? ClusterReply{id, {}} : ClusterReply{};
    }
    std::vector<ClusterJob> list_jobs() override {
        ++polls;
        if (!reachable) throw Error(Errc::unavailable, "listing jobs: connect failure");
        return jobs;
    }
    std::optional<ClusterJob> look_up(std::int64_t) override { return std::nullopt; }
    std::set<std::string> list_drained() override { return {}; }
    void cancel(std::int64_t job) override { cancelled.push_back(job); }
    void dismiss(std::int64_t) override {}
    std::optional<std::string> drain(const std::string& node, const std::string& why) override {
        if (!drains) throw Error(Errc::unavailable, "draining a node: connect failure");
        drained.push_back(node + ": " + why);
        return std::nullopt;
    }
    std::vector<std::string> drained;
    bool drains = true;
};

/// Passes calls on to one that the test keeps.
struct Lent : Cluster {
    explicit Lent(FakeCluster& to) : to_(to) {}
    ClusterReply request(const ClusterRequest& request) override { return to_.request(request); }
    std::vector<ClusterJob> list_jobs() override { return to_.list_jobs(); }
    std::optional<ClusterJob> look_up(std::int64_t job) override { return to_.look_up(job); }
    std::set<std::string> list_drained() override { return to_.list_drained(); }
    void cancel(std::int64_t job) override { to_.cancel(job); }
    void dismiss(std::int64_t job) override { to_.dismiss(job); }
    std::optional<std::string> drain(const std::string& node, const std::string& why) override {
        return to_.drain(node, why);
    }
    FakeCluster& to_;
};

struct FleetClock : Clock {
    std::int64_t at_s = 0;
    std::int64_t now_ns() const override { return at_s * 1'000'000'000; }
};

/// A loop that looks when the test says so. A new one is a daemon that was started again.
struct FleetLoopScene {
    FleetLoopScene() {
        scene.config.fleet.emplace();
        auto& fleet = *scene.config.fleet;
        fleet.folder = (folder.path() / "shared").string();
        fleet.machine_classes["cpu"].worker_file = (folder.path() / "worker.json").string();
        std::ofstream(folder.path() / "worker.json") << R"({"server": "http://127.0.0.1:1"})";
        clock.at_s = scene.now_s += 1000;
        scene.add_job({scene.add_build()});
        config.emplace(scene.config);
        writer.emplace(std::move(scene.db), 100);
    }

    void look() { look(*restarted()); }
    void look(FleetLoop& one) { test::run_on(io, one.look()); }
    FleetLoop* restarted() {
        loop.emplace(
            LoopParts{io, *config, clock, *writer},
            [this](const FleetConfig& fleet, const std::atomic<bool>&) {
                made.push_back(fleet.slurmrestd);
                return std::make_unique<Lent>(cluster);
            });
        loop->on_revoked = [this](const std::string& worker) { revoked.push_back(worker); };
        return &*loop;
    }
    std::vector<Allocation> open() {
        std::vector<Allocation> all;
        ask([&](Database& db) { all = list_open_allocations(db); });
        return all;
    }
    template <class Work>
    void ask(Work work) {
        const auto asked = [&]() -> boost::asio::awaitable<void> { co_await writer->run(work); };
        test::run_on(io, asked());
    }

    test::ScratchFolder folder;
    test::JobScene scene;
    FleetClock clock;
    FakeCluster cluster;
    boost::asio::io_context io{1};
    std::optional<LiveConfig> config;
    std::optional<WriterLane> writer;
    std::optional<FleetLoop> loop;
    std::vector<std::string> revoked;
    std::vector<std::string> made;  // the address of each cluster
};

/// A folder of an allocation that no row knows.
fs::path folder_of(const FleetLoopScene& all, const std::string& name) {
    const WorkerPlaces places(all.scene.config.fleet->folder);
    places.prepare(name);
    return places.place(name);
}

}  // namespace

TEST_CASE("A job that waits becomes an allocation with a token, which goes", "[service][app]") {
    FleetLoopScene all;
    all.look();
    REQUIRE(all.cluster.requests.size() == 1);
    const auto row = all.open().at(0);
    CHECK(row.state == AllocationState::pending);
    CHECK(row.cluster_job == 1);
    CHECK(all.cluster.requests[0].name == row.name);
    const auto place = fs::path(all.cluster.requests[0].arguments.at(0));
    CHECK_FALSE(fs::exists(place / "token"));
    all.cluster.jobs[0].state = ClusterState::running;
    all.cluster.jobs[0].node = "n1";
    all.look(*all.loop);
    CHECK(all.open().at(0).state == AllocationState::running);
    CHECK(fs::exists(place / "token"));
    CHECK(fs::exists(place / "worker.json"));
    all.revoked.clear();
    all.cluster.jobs[0].state = ClusterState::completed;
    all.look(*all.loop);
    CHECK(all.revoked == std::vector<std::string>{"cpu@n1"});
    CHECK_FALSE(fs::exists(place));
}

TEST_CASE(
    "A daemon that ended before it heard the answer finds its job by name", "[service][app]") {
    FleetLoopScene all;
    all.cluster.answers = false;
    all.look();
    CHECK(all.open().at(0).state == AllocationState::planned);
    all.look();  // another process
    CHECK(all.open().at(0).state == AllocationState::pending);
    CHECK(all.open().at(0).cluster_job == 1);
    CHECK(all.cluster.requests.size() == 1);
}

TEST_CASE("A daemon that ended before the token was written gives another one", "[service][app]") {
    FleetLoopScene all;
    all.look();
    all.cluster.jobs[0].state = ClusterState::running;
    all.cluster.jobs[0].node = "n1";
    const auto row = all.open().at(0);
    std::string first;
    all.ask([&](Database& db) { first = give_token(db, {row, 1, "n1"}, {}, all.clock.at_s); });
    all.look();  // another process
    std::ifstream file(fs::path(all.cluster.requests[0].arguments.at(0)) / "token");
    std::string secret;
    REQUIRE(std::getline(file, secret));
    CHECK(secret != first);
    CHECK(all.open().at(0).state == AllocationState::running);
}

TEST_CASE("A cluster that gives no answer is told, and asked for nothing", "[service][app]") {
    FleetLoopScene all;
    all.cluster.reachable = false;
    all.look();
    CHECK(all.cluster.requests.empty());
    std::size_t open = 0;
    all.ask([&](Database& db) { open = list_troubles(db, "fleet.unreachable").size(); });
    CHECK(open == 1);
    all.cluster.reachable = true;
    all.look(*all.loop);
    CHECK(all.cluster.requests.size() == 1);
}

TEST_CASE("What an allocation left is removed once it is old, jobs or none", "[service][app]") {
    FleetLoopScene all;
    all.ask([](Database& db) { db.execute("UPDATE job SET state = 'cancelled'"); });
    const auto left = folder_of(all, "vigil-cpu-0123456789abcdef");
    all.clock.at_s = std::time(nullptr) + kept_log_s - 60;
    all.look();
    CHECK(fs::exists(left));
    all.clock.at_s += 120;
    all.look(*all.loop);  // it looks for them once an hour
    CHECK(fs::exists(left));
    all.clock.at_s += 3600;
    all.look(*all.loop);
    CHECK_FALSE(fs::exists(left));
}

TEST_CASE("A node that differs is drained once, by the row that a kill leaves", "[service][app]") {
    FleetLoopScene all;
    all.scene.config.fleet->machine_classes["cpu"].drain_differing = true;
    all.config->replace(all.scene.config);
    all.ask([&](Database& db) {
        Fingerprint other;
        other.cpu_model = "EPYC";
        other.cpus = 8;
        other.toolchain = "gcc";
        upsert_worker(db, all.scene.config, "cpu@n1", other, false, all.clock.at_s);
    });
    all.cluster.drains = false;
    all.look();
    int planned = 0;
    all.ask([&](Database& db) {
        planned = *db.find<int>(
            "SELECT count(*) FROM differing_worker WHERE drain_planned_at_s IS NOT NULL "
            "AND drain_answered_at_s IS NULL");
    });
    CHECK(planned == 1);
    CHECK(all.cluster.requests.at(0).not_nodes == std::set<std::string>{"n1"});
    all.cluster.drains = true;
    all.look();  // another process
    all.look();
    REQUIRE(all.cluster.drained.size() == 1);
    CHECK(
        all.cluster.drained[0] ==
        "n1: vigil: its machine differs from class cpu: CPU EPYC instead of Xeon");
}

TEST_CASE("A reload may name another way to the cluster", "[service][app]") {
    FleetLoopScene all;
    all.look();
    CHECK(all.made == std::vector<std::string>{""});
    Config other = all.scene.config;
    other.fleet->slurmrestd = "unix:/run/s.socket";
    all.config->replace(other);
    all.look(*all.loop);
    all.look(*all.loop);
    CHECK(all.made == std::vector<std::string>{"", "unix:/run/s.socket"});
}

TEST_CASE("Where nothing waits the cluster is asked once after a start", "[service][app]") {
    FleetLoopScene all;
    all.ask([](Database& db) { db.execute("UPDATE job SET state = 'cancelled'"); });
    const std::string left = "vigil-cpu-0123456789abcdef";
    all.cluster.jobs = {{9, left, ClusterState::running, "", "n1"}};
    all.look();
    CHECK(all.cluster.cancelled == std::vector<std::int64_t>{9});  // of a ledger before this one
    all.look(*all.loop);
    CHECK(all.cluster.polls == 1);
    Config without = all.scene.config;
    without.fleet.reset();
    all.config->replace(without);
    all.look();
    CHECK(all.cluster.polls == 1);
}

}  // namespace vigil::service
