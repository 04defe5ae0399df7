#include "service/store/writer_lane.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include "tests/support/forked.hpp"
#include "tests/support/run_on.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

namespace asio = boost::asio;

struct LaneScene {
    test::ScratchFolder folder;
    std::filesystem::path file = folder.path() / "ledger.db";
    asio::io_context io{1};
    int disk_full = 0;
    std::unique_ptr<WriterLane> lane;
    Database reader;

    explicit LaneScene(int limit = 1000) : reader(make()) {
        lane = std::make_unique<WriterLane>(
            Database::open_writer(file), limit, [this] { ++disk_full; });
    }
    Database make() {
        Database::open_writer(file).execute_script(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT UNIQUE, filler BLOB)");
        return Database::open_reader(file);
    }
    int rows() { return reader.find<int>("SELECT count(*) FROM t").value_or(-1); }
};

// A result that must survive being moved through the lane: ASan sees it when it is destroyed twice.
struct Answer {
    std::string text;
    std::vector<int> numbers;
};

TEST_CASE("What work returns comes back, after its commit", "[service][store]") {
    LaneScene scene;
    auto ask = [&]() -> asio::awaitable<void> {
        const Answer answer = co_await scene.lane->run([&](Database& db) {
            db.execute("INSERT INTO t(word) VALUES ('one')");
            return Answer{std::string(100, 'x'), {1, 2, 3}};
        });
        CHECK(answer.text.size() == 100);
        CHECK(answer.numbers.size() == 3);
        CHECK(scene.rows() == 1);  // another connection sees it: committed
        CHECK(scene.lane->waiting() == 0);
        const auto unique = co_await scene.lane->run(
            [&](Database& db) { return std::make_unique<std::int64_t>(db.last_insert_id()); });
        CHECK(*unique == 1);
    };
    test::run_on(scene.io, ask());
}

TEST_CASE("Light work goes between heavy pieces, each of which is a group", "[service][store]") {
    LaneScene scene;
    std::string order;
    auto work = [&](char name, Weight weight) -> asio::awaitable<void> {
        co_await scene.lane->run([&](Database&) { order += name; }, weight);
    };
    for (const char name : {'A', 'B', 'C'}) {
        asio::co_spawn(scene.io, work(name, Weight::heavy), asio::detached);
    }
    for (const char name : {'x', 'y', 'z'}) {
        asio::co_spawn(scene.io, work(name, Weight::light), asio::detached);
    }
    scene.io.run();
    CHECK(order == "AxyzBC");
    CHECK(scene.lane->commits() == 4);
    CHECK(scene.lane->waiting() == 0);
}

TEST_CASE("Heavy work gets its turn however much light work comes", "[service][store]") {
    LaneScene scene;
    std::atomic<int> light = 0;
    std::atomic<bool> heavy = false;
    auto endless = [&]() -> asio::awaitable<void> {
        while (!heavy && light < 100'000) {
            co_await scene.lane->run([&](Database&) { ++light; });
        }
    };
    auto patient = [&]() -> asio::awaitable<void> {
        co_await scene.lane->run([&](Database&) { heavy = true; }, Weight::heavy);
    };
    for (int i = 0; i < 5; ++i) asio::co_spawn(scene.io, endless(), asio::detached);
    asio::co_spawn(scene.io, patient(), asio::detached);
    scene.io.run();
    CHECK(heavy);
    CHECK(light < 100'000);
}

TEST_CASE("A group that lasts is cut, and its rest is the next group", "[service][store]") {
    LaneScene scene;
    std::string order;  // touched on the lane only
    auto quick = [&](char name) -> asio::awaitable<void> {
        co_await scene.lane->run([&](Database&) { order += name; });
    };
    auto lasting = [&]() -> asio::awaitable<void> {
        co_await scene.lane->run([&](Database&) {
            const auto until = std::chrono::steady_clock::now() + WriterLane::max_group_time;
            while (std::chrono::steady_clock::now() < until) {
            }
            order += 'L';
        });
    };
    asio::co_spawn(scene.io, quick('a'), asio::detached);  // the rest waits together behind it
    asio::co_spawn(scene.io, lasting(), asio::detached);
    asio::co_spawn(scene.io, quick('b'), asio::detached);
    asio::co_spawn(scene.io, quick('c'), asio::detached);
    scene.io.run();
    CHECK(order == "aLbc");
    CHECK(scene.lane->commits() >= 3);
    CHECK(scene.lane->waiting() == 0);
}

TEST_CASE("Work that waits together is committed together", "[service][store]") {
    LaneScene scene;
    int answered = 0;
    auto ask = [&](int i) -> asio::awaitable<void> {
        co_await scene.lane->run([&](Database& db) {
            db.execute("INSERT INTO t(word) VALUES (?1)", std::to_string(i));
        });
        CHECK(scene.rows() > answered);
        ++answered;
    };
    for (int i = 0; i < 300; ++i) asio::co_spawn(scene.io, ask(i), asio::detached);
    scene.io.run();
    CHECK(answered == 300);
    CHECK(scene.rows() == 300);
    CHECK(scene.lane->commits() <= 10);
}

TEST_CASE("Work that throws undoes itself and nothing else", "[service][store]") {
    LaneScene scene;
    int refused = 0;
    auto good = [&](int i) -> asio::awaitable<void> {
        co_await scene.lane->run([&](Database& db) {
            db.execute("INSERT INTO t(word) VALUES (?1)", std::to_string(i));
        });
    };
    auto bad = [&]() -> asio::awaitable<void> {
        try {
            co_await scene.lane->run([&](Database& db) {
                db.execute("INSERT INTO t(word) VALUES ('half')");
                db.execute("INSERT INTO t(word) VALUES ('half')");
            });
        } catch (const Error& error) {
            CHECK(error.code() == Errc::conflict);
            ++refused;
        }
    };
    for (int i = 0; i < 20; ++i) {
        asio::co_spawn(scene.io, good(i), asio::detached);
        asio::co_spawn(scene.io, bad(), asio::detached);
    }
    scene.io.run();
    CHECK(refused == 20);
    CHECK(scene.rows() == 20);
    CHECK(scene.reader.find<int>("SELECT 1 FROM t WHERE word = 'half'") == std::nullopt);
}

TEST_CASE("More work than may wait is refused, not piled up", "[service][store]") {
    LaneScene scene(5);
    int refused = 0;
    auto ask = [&]() -> asio::awaitable<void> {
        try {
            co_await scene.lane->run([](Database&) {});
        } catch (const Error& error) {
            CHECK(error.code() == Errc::unavailable);
            ++refused;
        }
    };
    for (int i = 0; i < 8; ++i) asio::co_spawn(scene.io, ask(), asio::detached);
    scene.io.run();
    CHECK(refused == 3);
    CHECK(scene.lane->waiting() == 0);
}

TEST_CASE("A full disk fails the group, is told, and the lane goes on", "[service][store]") {
    LaneScene scene;
    auto fill = [&]() -> asio::awaitable<void> {
        const Bytes filler(20'000);
        co_await scene.lane->run([](Database& db) {
            db.execute_script("PRAGMA max_page_count = 20");  // a disk of 80 KiB
        });
        Errc met = Errc::internal;
        try {
            for (int i = 0; i < 100; ++i) {
                co_await scene.lane->run(
                    [&](Database& db) { db.execute("INSERT INTO t(filler) VALUES (?1)", filler); });
            }
        } catch (const Error& error) {
            met = error.code();
            CHECK_THAT(error.what(), Catch::Contains("the disk is full"));
        }
        CHECK(met == Errc::unavailable);
        CHECK(scene.disk_full == 1);
        CHECK(scene.rows() > 0);
        co_await scene.lane->run([](Database& db) {
            db.execute_script("PRAGMA max_page_count = 100000");
            db.execute("INSERT INTO t(word) VALUES ('after')");
        });
    };
    test::run_on(scene.io, fill());
    CHECK(scene.reader.find<int>("SELECT 1 FROM t WHERE word = 'after'") == 1);
}

TEST_CASE("The lane finishes the work it has before it ends", "[service][store]") {
    test::ScratchFolder folder;
    const auto file = folder.path() / "ledger.db";
    Database::open_writer(file).execute_script("CREATE TABLE t (a)");
    constexpr int pieces = WriterLane::max_group + 10;
    {
        asio::io_context io{1};
        WriterLane lane(Database::open_writer(file), pieces);
        auto ask = [&]() -> asio::awaitable<void> {
            co_await lane.run([](Database& db) { db.execute("INSERT INTO t VALUES (1)"); });
        };
        for (int i = 0; i < pieces; ++i) asio::co_spawn(io, ask(), asio::detached);
        for (int i = 0; i < pieces; ++i) io.poll_one();  // hand in, but do not wait
    }
    Database reader = Database::open_reader(file);
    CHECK(reader.find<int>("SELECT count(*) FROM t") == pieces);
}

TEST_CASE("The lane finishes a group that was cut before it ends", "[service][store]") {
    test::ScratchFolder folder;
    const auto file = folder.path() / "ledger.db";
    Database::open_writer(file).execute_script("CREATE TABLE t (a)");
    constexpr int pieces = 5;
    {
        asio::io_context io{1};
        WriterLane lane(Database::open_writer(file), pieces);
        std::atomic<bool> all_wait = false;
        auto ask = [&](bool first) -> asio::awaitable<void> {
            co_await lane.run([&](Database& db) {
                // The first group is the first piece alone; the others are one that is cut.
                while (first && !all_wait) {
                }
                const auto until = std::chrono::steady_clock::now() + WriterLane::max_group_time;
                while (!first && std::chrono::steady_clock::now() < until) {
                }
                db.execute("INSERT INTO t VALUES (1)");
            });
        };
        for (int i = 0; i < pieces; ++i) asio::co_spawn(io, ask(i == 0), asio::detached);
        for (int i = 0; i < pieces; ++i) io.poll_one();  // hand in
        all_wait = true;
        while (lane.waiting() == pieces) io.run_one();  // the second group has begun
    }
    Database reader = Database::open_reader(file);
    CHECK(reader.find<int>("SELECT count(*) FROM t") == pieces);
}

// Writes rows for ever, several at a time, and says each number on `out` once it is acknowledged.
int write_for_ever(const std::filesystem::path& file, int out) {
    asio::io_context io{1};
    WriterLane lane(Database::open_writer(file), 100);
    int next = 0;
    auto write = [&]() -> asio::awaitable<void> {
        while (true) {
            const int number = ++next;
            co_await lane.run([&](Database& db) {
                db.execute("INSERT INTO t(id, word) VALUES (?1, ?2)", number, "row");
            });
            if (::write(out, &number, sizeof(number)) != sizeof(number)) co_return;
        }
    };
    for (int i = 0; i < 8; ++i) asio::co_spawn(io, write(), asio::detached);
    io.run();
    return 0;
}

TEST_CASE("A killed writer loses no acknowledged row", "[service][store]") {
    test::ScratchFolder folder;
    const auto file = folder.path() / "ledger.db";
    Database::open_writer(file).execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, word)");
    std::set<int> acknowledged;
    for (int round = 0; round < 10; ++round) {
        int pipe[2];
        REQUIRE(::pipe(pipe) == 0);
        Database::open_writer(file).execute("DELETE FROM t");
        acknowledged.clear();
        test::Forked writer([&] { return write_for_ever(file, pipe[1]); });
        ::close(pipe[1]);
        int number = 0;
        const auto wanted = static_cast<std::size_t>(20 + 13 * round);
        while (acknowledged.size() < wanted &&
               ::read(pipe[0], &number, sizeof(number)) == sizeof(number)) {
            acknowledged.insert(number);
        }
        writer.kill();
        while (::read(pipe[0], &number, sizeof(number)) == sizeof(number)) {
            acknowledged.insert(number);  // said before the kill came
        }
        ::close(pipe[0]);
        REQUIRE(acknowledged.size() >= wanted);
        Database db = Database::open_writer(file);
        for (const int row : acknowledged) {
            REQUIRE(db.find<int>("SELECT id FROM t WHERE id = ?1", row) == row);
        }
        REQUIRE(db.find<std::string>("PRAGMA integrity_check") == "ok");
    }
}

}  // namespace
}  // namespace vigil::service
