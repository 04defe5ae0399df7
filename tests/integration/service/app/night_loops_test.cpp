#include "service/app/night_loops.hpp"

#include <memory>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch.hpp>

#include "service/store/migrate.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

class StillClock : public Clock {
  public:
    std::int64_t now_ns() const override { return 1'700'000'000'000'000'000; }
};

// The daemon's loops on a ledger of one project; nothing but rows moves.
struct LoopScene {
    test::ScratchFolder folder;
    Config config;
    StillClock clock;
    boost::asio::io_context io{1};
    std::unique_ptr<LiveConfig> live;
    std::unique_ptr<WriterLane> writer;
    std::unique_ptr<Lane<ContentStore>> content;
    std::unique_ptr<NightLoops> loops;

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
        loops = std::make_unique<NightLoops>(io, *live, clock, *writer, *content);
    }

    /// Ticks until `condition` holds in the ledger. @return whether it ever did
    bool tick_until(const std::string& condition) {
        bool holds = false;
        boost::asio::co_spawn(io, loops->tick(), boost::asio::detached);
        const auto look = [&]() -> boost::asio::awaitable<void> {
            for (int round = 0; round < 200 && !holds; ++round) {
                co_await writer->run([&](Database& db) {
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
    "INSERT INTO session VALUES (1, 1, 1, 2, 'mlp', 'train', 1, 1, 'done', 1);"
    "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, session_id, kind, state, "
    "verdict, base, value, change_ratio, confirmed, reason, created_at_s) VALUES "
    "(1, 1, 1, 1, 'level', 'ended', 'regression', 1, 2, 1, 'no JSON', 'why', 1);";

TEST_CASE("A night whose rows throw is set aside, and the next one ends", "[service][app]") {
    LoopScene scene(std::string(two_nights) + poisoned_verdict);
    CHECK(
        scene.tick_until("(SELECT state FROM nightly WHERE id = 1) = 'failed' AND "
                         "(SELECT message FROM nightly WHERE id = 1) LIKE 'set aside:%' AND "
                         "(SELECT state FROM nightly WHERE id = 2) = 'done'"));
}

TEST_CASE("A night that ended the daemon again and again is set aside", "[service][app]") {
    LoopScene scene(
        std::string(two_nights) +
        "INSERT INTO step_try VALUES ('nightly/1', 5, '', 1), ('nightly/2', 4, '', 1);");
    CHECK(
        scene.tick_until("(SELECT state FROM nightly WHERE id = 1) = 'failed' AND "
                         "(SELECT state FROM nightly WHERE id = 2) = 'done' AND "
                         "NOT EXISTS (SELECT 1 FROM step_try)"));
}

}  // namespace
}  // namespace vigil::service
