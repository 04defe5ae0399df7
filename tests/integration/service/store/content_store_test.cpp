#include "service/store/content_store.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/ledger_lock.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/put_bytes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

bool is_empty_folder(const fs::path& folder) {
    return fs::directory_iterator(folder) == fs::directory_iterator();
}

TEST_CASE("Content is found by the digest of its bytes", "[service][store]") {
    const test::ScratchFolder scratch;
    ContentStore store(scratch.path() / "content");
    const Digest digest = test::put_bytes(store, "hello");
    CHECK(digest == wire::sha256("hello"));
    CHECK(store.has(digest));
    CHECK(bytes_of(store.path(digest)) == "hello");
    CHECK(test::put_bytes(store, "hello") == digest);
    CHECK(store.list() == std::vector{digest});
    store.remove(digest);
    store.remove(digest);
    CHECK_FALSE(store.has(digest));
    CHECK(store.list().empty());
}

TEST_CASE("A file is adopted when its bytes are what was promised", "[service][store]") {
    const test::ScratchFolder scratch;
    ContentStore store(scratch.path() / "content");
    const Digest digest = wire::sha256("product");
    const fs::path good = store.temporary_path();
    write_file(good, "product");
    store.adopt(good, digest);
    CHECK(bytes_of(store.path(digest)) == "product");
    CHECK_FALSE(fs::exists(good));
    const fs::path again = store.temporary_path();
    write_file(again, "product");
    store.adopt(again, digest);
    CHECK_FALSE(fs::exists(again));
}

TEST_CASE("A damaged file is refused and leaves nothing", "[service][store]") {
    const test::ScratchFolder scratch;
    ContentStore store(scratch.path() / "content");
    const fs::path file = store.temporary_path();
    write_file(file, "produkt");
    const Digest promised = wire::sha256("product");
    try {
        store.adopt(file, promised);
        FAIL("it was adopted");
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        CHECK_THAT(error.what(), Catch::Contains(promised.str()));
    }
    CHECK_FALSE(store.has(promised));
    CHECK(is_empty_folder(scratch.path() / "content" / "tmp"));
}

TEST_CASE("What a killed process left half written is swept at the start", "[service][store]") {
    const test::ScratchFolder scratch;
    ContentStore store(scratch.path() / "content");
    const Digest kept = test::put_bytes(store, "kept");
    write_file(store.temporary_path(), "half");
    fs::create_directories(store.temporary_path() / "deep");
    store.sweep();
    CHECK(is_empty_folder(scratch.path() / "content" / "tmp"));
    CHECK(store.has(kept));
}

TEST_CASE("Ballast takes up room until it is given up", "[service][store]") {
    const test::ScratchFolder scratch;
    Ballast ballast(scratch.path() / "ballast", 1 << 20);
    CHECK_FALSE(ballast.held());
    CHECK(ballast.take());
    CHECK(ballast.held());
    CHECK(fs::file_size(scratch.path() / "ballast") == 1 << 20);
    CHECK(ballast.take());
    ballast.release();
    CHECK_FALSE(ballast.held());
    CHECK_FALSE(fs::exists(scratch.path() / "ballast"));
}

TEST_CASE("A second daemon on one state folder is refused", "[service][store]") {
    const test::ScratchFolder scratch;
    {
        const LedgerLock lock(scratch.path());
        test::Forked other([&] {
            try {
                const LedgerLock second(scratch.path());
            } catch (const Error& error) {
                const std::string_view text = error.what();
                const bool names_it = text.find(std::to_string(::getppid())) != text.npos;
                return error.code() == Errc::conflict && names_it ? 0 : 1;
            }
            return 2;
        });
        CHECK(other.wait() == 0);
    }
    const LedgerLock after(scratch.path());
    SUCCEED("the lock is free again");
}

TEST_CASE("A killed daemon's lock is free at once", "[service][store]") {
    const test::ScratchFolder scratch;
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    test::Forked daemon([&] {
        const LedgerLock lock(scratch.path());
        char byte = 1;
        if (::write(pipe[1], &byte, 1) != 1) return 1;
        while (true) ::pause();
    });
    char byte = 0;
    REQUIRE(::read(pipe[0], &byte, 1) == 1);
    ::close(pipe[0]);
    ::close(pipe[1]);
    CHECK_THROWS_AS(LedgerLock(scratch.path()), Error);
    daemon.kill();
    CHECK_NOTHROW(LedgerLock(scratch.path()));
}

}  // namespace
}  // namespace vigil::service
