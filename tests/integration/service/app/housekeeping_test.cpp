#include "service/app/housekeeping.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch.hpp>

#include "schema/log/log.hpp"
#include "service/store/migrate.hpp"
#include "service/store/troubles.hpp"
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
        Config config;
        config.state_dir = folder.path().string();
        config.ledger.ballast_bytes = ballast_bytes;
        const LiveConfig live(config);
        boost::asio::io_context io{1};
        WriterLane lane(writer(), 100);
        Lane<ContentStore> content(ContentStore(folder / "content"), 100);
        Ballast ballast(folder / "ballast", ballast_bytes);
        Housekeeping housekeeping(io, live, clock, lane, content, ballast);
        boost::asio::co_spawn(io, housekeeping.run(), boost::asio::detached);
        const auto end = [&]() -> boost::asio::awaitable<void> {
            // What the lane does comes in the order in which it is asked.
            for (int round = 0; round < 10; ++round) co_await lane.run([](Database&) {});
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

}  // namespace

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
