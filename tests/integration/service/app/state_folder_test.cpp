#include "service/app/state_folder.hpp"

#include <fstream>
#include <map>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/content_index.hpp"
#include "service/store/migrate.hpp"
#include "service/store/tokens.hpp"
#include "service/store/troubles.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/put_bytes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

struct FolderScene {
    test::ScratchFolder scratch;
    Config config;
    fs::path state = scratch / "state";
    FolderScene() { config.state_dir = state.string(); }

    void start(NewLedger rule = NewLedger::in_empty_folder) { StateFolder(config, rule); }

    Error refusal(NewLedger rule = NewLedger::in_empty_folder) {
        try {
            start(rule);
        } catch (const Error& error) {
            return error;
        }
        FAIL("it started");
        throw 0;
    }

    // Content that the ledger knows, or not.
    Digest add(const std::string& bytes, bool known) {
        ContentStore content(state / "content");
        const Digest digest = test::put_bytes(content, bytes);
        auto db = Database::open_writer(state / "ledger.sqlite");
        if (known) record_content(db, digest, 1, ContentKind::log, 1);
        return digest;
    }

    bool has(const Digest& digest) const { return ContentStore(state / "content").has(digest); }

    std::vector<Trouble> troubles() const {
        auto db = Database::open_reader(state / "ledger.sqlite");
        return list_troubles(db);
    }

    mode_t mode() const {
        struct stat status {};
        REQUIRE(::stat(state.c_str(), &status) == 0);
        return status.st_mode & 07777;
    }
};

TEST_CASE("A ledger that was there and is gone is not replaced by an empty one", "[service][app]") {
    FolderScene scene;
    scene.start();
    const auto known = scene.add("a log", true);
    const auto secret = test::content_of(scene.state / "admin.token");
    const auto ledger = scene.state / "ledger.sqlite";
    const std::string how = GENERATE("missing", "missing with a -wal", "empty", "without tables");
    CAPTURE(how);
    how == "empty" ? fs::resize_file(ledger, 0) : void(fs::remove(ledger));
    if (how == "missing with a -wal") std::ofstream(ledger.string() + "-wal") << "rows";
    if (how == "without tables") {
        Database::open_writer(ledger).execute_script("PRAGMA application_id = 5");
    }
    const auto error = scene.refusal();
    CHECK(error.code() == Errc::conflict);
    CHECK_THAT(
        error.what(),
        Contains("admin.token") && Contains("content") && Contains("--new-ledger") &&
            Contains("backup"));
    CHECK(scene.has(known));
    CHECK(test::content_of(scene.state / "admin.token") == secret);

    scene.start(NewLedger::set_aside_rest);
    const auto aside = scene.state / "unknown" / "before-1";
    CHECK(ContentStore(aside / "content").has(known));
    CHECK(test::content_of(aside / "admin.token") == secret);
    CHECK(test::content_of(scene.state / "admin.token") != secret);
    REQUIRE(scene.troubles().size() == 1);
    CHECK(scene.troubles()[0].kind == "content.unknown");
    scene.start();  // there is a ledger again
}

TEST_CASE("The flag for a new ledger touches no ledger that is there", "[service][app]") {
    FolderScene scene;
    scene.start();
    const auto known = scene.add("a log", true);
    const auto secret = test::content_of(scene.state / "admin.token");
    scene.start(NewLedger::set_aside_rest);
    CHECK(scene.has(known));
    CHECK(test::content_of(scene.state / "admin.token") == secret);
    CHECK_FALSE(fs::exists(scene.state / "unknown"));
}

TEST_CASE("A first start that was cut off begins anew", "[service][app]") {
    FolderScene scene;
    fs::create_directory(scene.state);
    std::ofstream(scene.state / "lock") << "1";
    fs::create_directory(scene.state / "lost+found");
    const std::string before = GENERATE("the ledger", "its first page", "its first table");
    CAPTURE(before);
    const auto ledger = scene.state / "ledger.sqlite";
    if (before == "its first page") std::ofstream(ledger).flush();
    if (before == "its first table") {
        Database::open_writer(ledger).execute_script("PRAGMA application_id = 5");
    }
    scene.start();
    CHECK(fs::exists(scene.state / "admin.token"));
}

TEST_CASE("Content that the ledger does not know is set aside and told", "[service][app]") {
    FolderScene scene;
    scene.start();
    const auto known = scene.add("known", true);
    const auto unknown = scene.add("unknown", false);
    scene.start();
    CHECK(scene.has(known));
    CHECK_FALSE(scene.has(unknown));
    CHECK(test::content_of(scene.state / "unknown" / unknown.str()) == "unknown");
    REQUIRE(scene.troubles().size() == 1);
    CHECK(scene.troubles()[0].kind == "content.unknown");
    scene.start();  // nobody has cleaned yet
    CHECK(scene.troubles().size() == 1);
    fs::remove(scene.state / "unknown" / unknown.str());
    scene.start();
    CHECK(scene.troubles().empty());
}

TEST_CASE("A ledger is one daemon's, whatever became of its lock file", "[service][app]") {
    FolderScene scene;
    {
        const StateFolder first(scene.config, NewLedger::in_empty_folder);
        const std::string way = GENERATE("its file removed", "another path");
        CAPTURE(way);
        if (way == "another path") {
            scene.config.state_dir = (scene.scratch / "other").string();
            fs::create_directory(scene.config.state_dir);
            fs::create_symlink(
                scene.state / "ledger.sqlite", scene.scratch / "other" / "ledger.sqlite");
        } else {
            fs::remove(scene.state / "lock");
        }
        for (const int time : {1, 2}) {
            CAPTURE(time);
            const auto refusal = scene.refusal();
            CHECK(refusal.code() == Errc::conflict);
            CHECK_THAT(refusal.what(), Contains("ledger.sqlite belongs to another vigild"));
        }
        auto db = first.open_writer();  // the first one goes on
        CHECK(has_admin_token(db, 1));
    }
    scene.start();
}

TEST_CASE("The state folder is for its owner alone", "[service][app]") {
    FolderScene scene;
    SECTION("made") {
        scene.start();
        CHECK(scene.mode() == 0700);
    }
    SECTION("found open to others") {
        fs::create_directory(scene.state);
        REQUIRE(::chmod(scene.state.c_str(), 0777) == 0);
        scene.start();
        CHECK(scene.mode() == 0700);
    }
    SECTION("somebody else's") {
        fs::create_directory(scene.state);
        if (::chown(scene.state.c_str(), 65'534, 65'534) != 0) {
            WARN("not run: only root can give a folder away");
            return;
        }
        const auto error = scene.refusal();
        CHECK(error.code() == Errc::denied);
        CHECK_THAT(error.what(), Contains("65534"));
        CHECK_FALSE(fs::exists(scene.state / "ledger.sqlite"));
    }
    SECTION("a file") {
        std::ofstream(scene.state).flush();
        CHECK(scene.refusal().code() == Errc::conflict);
    }
}

TEST_CASE("A ledger that takes no changes ends the start", "[service][app]") {
    FolderScene scene;
    scene.start();
    const auto ledger = scene.state / "ledger.sqlite";
    SECTION("another program holds it") {
        auto other = Database::open_writer(ledger);
        const Transaction held(other);
        CHECK(scene.refusal().code() == Errc::unavailable);
    }
    SECTION("it may only be read") {
        REQUIRE(::chmod(ledger.c_str(), 0400) == 0);
        test::Forked child([&] {  // to root, every file is open
            if (::geteuid() == 0) {
                for (const auto& path : {scene.scratch.path(), scene.state, ledger}) {
                    if (::chown(path.c_str(), 65'534, 65'534) != 0) return 3;
                }
                for (const auto& entry : fs::directory_iterator(scene.state)) {
                    if (::chown(entry.path().c_str(), 65'534, 65'534) != 0) return 3;
                }
                if (::setuid(65'534) != 0) return 3;
            }
            try {
                scene.start();
            } catch (const Error& error) {
                const std::string_view words = error.what();
                return words.find("cannot be written") != words.npos ? 0 : 2;
            }
            return 1;
        });
        CHECK(child.wait() == 0);
    }
}

}  // namespace
}  // namespace vigil::service
