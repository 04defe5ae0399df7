#include "service/app/night_loops.hpp"

#include <functional>
#include <memory>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch.hpp>

#include "service/store/migrate.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

// Goes on each time it is asked for the steady time; somebody may set the time of day.
class TestClock : public Clock {
  public:
    std::int64_t set_s = 1'700'000'000;
    std::int64_t step_s = 0;
    std::int64_t now_ns() const override { return (set_s + gone_s_) * 1'000'000'000; }
    std::int64_t steady_s() const override { return gone_s_ += step_s; }
    std::int64_t gone_s() const { return gone_s_; }

  private:
    mutable std::int64_t gone_s_ = 0;
};

// The daemon's loops on a ledger of one project; nothing but rows moves.
struct LoopScene {
    test::ScratchFolder folder;
    Config config;
    TestClock clock;
    boost::asio::io_context io{1};
    std::unique_ptr<LiveConfig> live;
    std::unique_ptr<WriterLane> writer;
    std::unique_ptr<Lane<ContentStore>> content;
    std::unique_ptr<NightLoops> loops;
    std::function<void(Database&)> between = [](Database&) {};  ///< called beside each look

    explicit LoopScene(const std::string& rows) {
        config.state_dir = folder.path().string();
        config.projects["lab"].name = "lab";
        auto db = Database::open_writer(folder / "ledger");
        migrate(db);
        db.execute_script(
            "INSERT INTO project VALUES (1, 'lab', 1);"
            "INSERT INTO build(id, project_id, revision, input_kind, created_at_s) VALUES "
            "(1, 1, '1111111111111111111111111111111111111111', 'source_tree', 1),"
            "(2, 1, '2222222222222222222222222222222222222222', 'source_tree', 1);" +
            rows);
        live = std::make_unique<LiveConfig>(config);
        writer = std::make_unique<WriterLane>(std::move(db), 100);
        content = std::make_unique<Lane<ContentStore>>(ContentStore(folder / "content"), 100);
        loops = std::make_unique<NightLoops>(LoopParts{io, *live, clock, *writer}, *content);
    }

    /// Ticks until `condition` holds in the ledger, or 200 times and for so long of steady time.
    /// @return  whether it ever did
    bool tick_until(const std::string& condition, std::int64_t least_s = 0) {
        bool holds = false;
        boost::asio::co_spawn(io, loops->tick(), boost::asio::detached);
        const auto look = [&]() -> boost::asio::awaitable<void> {
            for (int round = 0; !holds && (round < 200 || clock.gone_s() < least_s); ++round) {
                co_await writer->run([&](Database& db) {
                    between(db);
                    holds = db.find<int>("SELECT 1 WHERE " + condition).has_value();
                });
                loops->wake();
            }
            loops->stop();
        };
        boost::asio::co_spawn(io, look(), boost::asio::detached);
        io.run();
        return holds;
    }
};

constexpr const char* two_nights =
    "INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s) "
    "VALUES (1, 1, 1, 'a', '2026-01-01', '1111111111111111111111111111111111111111', "
    "'confirming', 1), (2, 1, 2, 'b', '2026-01-02', '2222222222222222222222222222222222222222', "
    "'confirming', 2);";

constexpr const char* poisoned_verdict =
    "INSERT INTO machine_class VALUES (1, 'cpu');"
    "INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, definition, "
    "unit, direction) VALUES (1, 1, 'mlp', 'train', 1, 'cpu_time_ns', 1, 'ns', "
    "'lower_is_better');"
    "INSERT INTO session(id, project_id, a_build_id, b_build_id, benchmark, variant, "
    "machine_class_id, nightly_id, state, created_at_s, old_nights) VALUES (1, 1, 1, 2, 'mlp', "
    "'train', 1, 1, 'done', 1, '[1]');"
    "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, session_id, kind, state, "
    "verdict, base, value, change_ratio, confirmed, reason, created_at_s) VALUES "
    "(1, 1, 1, 1, 'level', 'ended', 'regression', 1, 2, 1, 'no JSON', 'why', 1);";

TEST_CASE("A night whose rows throw is set aside, and the next one ends", "[service][app]") {
    LoopScene scene(std::string(two_nights) + poisoned_verdict);
    CHECK(
        scene.tick_until("(SELECT state FROM nightly WHERE id = 1) = 'failed' AND "
                         "(SELECT message FROM nightly WHERE id = 1) LIKE 'quarantined:%' AND "
                         "(SELECT state FROM nightly WHERE id = 2) = 'done'"));
}

TEST_CASE("A night that ended the daemon again and again is set aside", "[service][app]") {
    LoopScene scene(
        std::string(two_nights) +
        "INSERT INTO step_try VALUES ('nightly/1', 5, ''), ('nightly/2', 4, '');");
    CHECK(
        scene.tick_until("(SELECT state FROM nightly WHERE id = 1) = 'failed' AND "
                         "(SELECT state FROM nightly WHERE id = 2) = 'done' AND "
                         "NOT EXISTS (SELECT 1 FROM step_try)"));
}

constexpr const char* waiting_job =
    "INSERT INTO machine_class VALUES (1, 'cpu');"
    "INSERT INTO worker(id, name, machine_class_id, state, fingerprint, toolchain, "
    "first_seen_at_s, last_seen_at_s) VALUES (1, 'one', 1, 'active', '{}', '', 1, 1);"
    "INSERT INTO job(id, project_id, machine_class_id, purpose, state, priority, plan, "
    "created_at_s) VALUES (1, 1, 1, 'request', 'queued', 1, '{}', 1);";

constexpr const char* nobody_told =
    "EXISTS (SELECT 1 FROM trouble WHERE kind = 'class.no_workers')";

TEST_CASE("After a start the workers may show themselves first", "[service][app]") {
    LoopScene scene(waiting_job);
    scene.config.workers["one"].machine_class = "cpu";
    scene.clock.step_s = 2;
    std::int64_t told_s = 0;
    SECTION("and none came") {
        CHECK(scene.tick_until(nobody_told));
        CHECK(scene.clock.gone_s() >= scene.config.jobs.claim_wait_s);
    }
    SECTION("and they did, also when somebody sets the clock") {
        scene.between = [&](Database& db) {
            if (scene.clock.gone_s() > 200) scene.clock.set_s = 1'700'003'600;
            if (scene.clock.gone_s() < told_s + 30) return;
            told_s = scene.clock.gone_s();
            db.execute("UPDATE worker SET last_seen_at_s = ?1", scene.clock.now_s());
        };
        CHECK_FALSE(scene.tick_until(nobody_told, 400));
    }
}

}  // namespace
}  // namespace vigil::service
