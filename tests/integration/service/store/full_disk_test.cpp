#include <fstream>
#include <sched.h>
#include <string>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <sys/mount.h>

#include "schema/model/states.hpp"
#include "service/store/content_index.hpp"
#include "service/store/content_store.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/writer_lane.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/put_bytes.hpp"
#include "tests/support/run_on.hpp"
#include "tests/support/scratch_folder.hpp"

// On a real disk of a few megabytes: a tmpfs that only a child process sees.

namespace vigil::service {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

constexpr int not_here = 77;
constexpr std::int64_t ballast_bytes = 2 << 20;
constexpr std::size_t piece_bytes = 256 << 10;

bool mount_small_disk(const fs::path& folder) {
    const auto uid = std::to_string(::getuid());
    if (::unshare(CLONE_NEWNS) != 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        std::ofstream("/proc/self/uid_map") << "0 " + uid + " 1";
    }
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=8m") == 0;
}

// Each step has a number, which the parent sees as the exit status when it does not hold.
void hold(bool condition, int step) {
    if (!condition) ::_exit(step);
}

// Does `action` until the disk is full; @return how often it went well.
template <class Action>
asio::awaitable<int> until_full(Action action) {
    for (int done = 0; done < 1000; ++done) {
        try {
            co_await action(done);
        } catch (const Error& error) {
            const bool told =
                std::string_view(error.what()).find("disk is full") != std::string::npos;
            hold(error.code() == Errc::unavailable && told, 1);
            co_return done;
        }
    }
    co_return -1;
}

struct Disk {
    explicit Disk(const fs::path& path) : folder(path) {}

    fs::path folder;
    ContentStore content{folder / "content"};
    Ballast ballast{folder / "ballast", ballast_bytes};
    std::vector<Digest> stored;
    asio::io_context io{1};

    asio::awaitable<void> play(WriterLane& lane, Database& reader) {
        hold(ballast.take(), 2);
        const auto fill = [&](int number) -> asio::awaitable<void> {
            const std::string bytes(piece_bytes, static_cast<char>('a' + number));
            const Digest digest = test::put_bytes(content, bytes);
            stored.push_back(digest);
            co_await lane.run([&](Database& db) {
                record_content(db, digest, std::int64_t{piece_bytes}, ContentKind::source, 1);
            });
        };
        hold(co_await until_full(fill) > 3, 3);
        hold(fs::is_empty(folder / "content" / "tmp"), 4);
        const auto note = [&](int number) -> asio::awaitable<void> {
            const std::string name = std::to_string(number) + std::string(50'000, 'x');
            co_await lane.run([&](Database& db) { ensure_project(db, name, 1); });
        };
        const int noted = co_await until_full(note);
        hold(noted >= 0, 5);
        hold(!ballast.held(), 6);  // given up by the lane
        hold(reader.find<int>("SELECT count(*) FROM project") == noted, 7);
        co_await make_room(lane);
        hold(ballast.take(), 10);
        co_await note(1000);  // and life goes on
        hold(reader.find<int>("SELECT count(*) FROM project") == noted + 1, 11);
        hold(reader.find<std::string>("PRAGMA integrity_check") == "ok", 12);
    }

    // What the daemon does: forget, then remove. The ballast was the room for forgetting.
    asio::awaitable<void> make_room(WriterLane& lane) {
        std::vector<Digest> gone;
        co_await lane.run([&](Database& db) {
            gone = list_evictable(db, 0);
            for (const auto& digest : gone) forget_content(db, digest);
        });
        hold(!gone.empty(), 8);
        for (const auto& digest : gone) content.remove(digest);
        hold(!content.has(gone.front()), 9);
    }
};

int play_full_disk(const fs::path& folder) {
    if (!mount_small_disk(folder)) return not_here;
    Disk disk(folder);
    const auto file = folder / "ledger.db";
    Database writer = Database::open_writer(file);
    migrate(writer);
    Database reader = Database::open_reader(file);
    WriterLane lane(std::move(writer), 10, [&] { disk.ballast.release(); });
    test::run_on(disk.io, disk.play(lane, reader));
    return 0;
}

TEST_CASE("A full disk refuses new rows, keeps the old, and recovers", "[service][store]") {
    const test::ScratchFolder scratch;
    test::Forked child([&] { return play_full_disk(scratch.path()); });
    const int status = child.wait();
    if (status == not_here) WARN("no small disk can be mounted here; not tested");
    INFO("the step that did not hold");
    CHECK((status == not_here ? 0 : status) == 0);
}

}  // namespace
}  // namespace vigil::service
