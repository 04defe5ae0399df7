#include "service/app/housekeeping.hpp"

#include <fstream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch.hpp>

#include "schema/log/log.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/content_index.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/troubles.hpp"
#include "service/watch/night/roll_up.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

struct Kept {
    test::ScratchFolder folder;
    SystemClock clock;

    Kept() {
        auto db = writer();
        migrate(db);
    }

    Database writer() const { return Database::open_writer(folder / "ledger"); }

    /// One look at a disk of which so many bytes are to be free.
    void look(std::int64_t ballast_bytes) {
        int rounds = 0;
        keep(ballast_bytes, [&](Database&) { return ++rounds == 10; });
    }

    /// Keeps house until the ledger is as it should be.
    void keep(
        std::int64_t ballast_bytes,
        const std::function<bool(Database&)>& is_done,
        Config config = {}) {
        config.state_dir = folder.path().string();
        config.ledger.ballast_bytes = ballast_bytes;
        const LiveConfig live(config);
        boost::asio::io_context io{1};
        WriterLane lane(writer(), 100);
        Lane<ContentStore> content(ContentStore(folder / "content"), 100);
        Ballast ballast(folder / "ballast", ballast_bytes);
        Housekeeping housekeeping({io, live, clock, lane}, content, ballast);
        boost::asio::co_spawn(io, housekeeping.run(), boost::asio::detached);
        const auto end = [&]() -> boost::asio::awaitable<void> {
            // What the lane does comes in the order in which it is asked.
            for (bool done = false; !done;) {
                co_await lane.run([&](Database& db) { done = is_done(db); });
            }
            housekeeping.stop();
        };
        boost::asio::co_spawn(io, end(), boost::asio::detached);
        io.run();
    }

    std::vector<Trouble> troubles() {
        auto db = writer();
        return list_troubles(db, "disk.full");
    }
};

void add_nights(Database& db, int nights) {
    ensure_project(db, "lab", 1);
    for (int night = 1; night <= nights; ++night) {
        db.execute(
            "INSERT INTO build(id, project_id, revision, input_kind, created_at_s) "
            "VALUES (?1, 1, 'r' || ?1, 'source_tree', 1)",
            night);
        db.execute(
            "INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, "
            "created_at_s) VALUES (?1, 1, ?1, 'v', '2026-11-0' || ?1, 'r' || ?1, 'done', 1)",
            night);
    }
}

}  // namespace

TEST_CASE("Old nights are rolled up, one after another", "[service][app]") {
    Kept kept;
    auto db = kept.writer();
    add_nights(db, fewest_raw_nights + 3);
    Config config;
    config.ledger.raw_nights = 1;
    const std::string rolled = "SELECT count(*) FROM rolled_night WHERE ended_at_s IS NOT NULL";
    kept.keep(
        4096, [&](Database& own) { return own.find<int>(rolled) == 3; }, config);
    CHECK(db.find<int>("SELECT min(id) FROM nightly WHERE rolled_up_at_s IS NULL") == 4);
}

TEST_CASE("What nothing has used for longer than the config says is removed", "[service][app]") {
    Kept kept;
    auto db = kept.writer();
    ContentStore store(kept.folder / "content");
    const auto file = store.temporary_path();
    std::ofstream(file) << "old";
    const auto digest = wire::sha256("old");
    store.adopt(file, digest);
    record_content(db, digest, 3, ContentKind::product, 100);
    Config config;
    config.ledger.product_days = 1;
    const std::string dropped = "SELECT bytes FROM dropped_content WHERE reason = 'unused'";
    kept.keep(
        4096, [&](Database& own) { return own.find<int>(dropped) == 3; }, config);
    CHECK_FALSE(store.has(digest));
    CHECK_FALSE(find_content_kind(db, digest));
}

TEST_CASE("A ledger that is mostly unused becomes smaller", "[service][app]") {
    Kept kept;
    auto db = kept.writer();
    db.execute_script(
        "CREATE TABLE big(x BLOB); WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 "
        "FROM n WHERE i < 6000) INSERT INTO big SELECT zeroblob(4000) FROM n; DROP TABLE big");
    const auto pages = [](Database& own) {
        return own.find<std::int64_t>("PRAGMA page_count").value_or(0);
    };
    CHECK(pages(db) > 6000);
    kept.keep(4096, [&](Database& own) { return pages(own) < 3000; });
}

TEST_CASE("A full disk is a trouble while it lasts, and is logged", "[service][app]") {
    Kept kept;
    kept.look(4096);
    CHECK(kept.troubles().empty());
    const auto said = test::logged([&] { kept.look(std::int64_t{1} << 60); });
    CHECK(said.find("disk.full") != said.npos);
    const auto open = kept.troubles();
    REQUIRE(open.size() == 1);
    CHECK(open[0].message.find("MiB are free") != std::string::npos);
    CHECK(open[0].message.find(kept.folder.path().string()) == std::string::npos);
    kept.look(4096);
    CHECK(kept.troubles().empty());
}

}  // namespace vigil::service
