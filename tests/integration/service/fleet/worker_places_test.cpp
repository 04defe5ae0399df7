#include "service/fleet/worker_places.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;

namespace fs = std::filesystem;

TEST_CASE("Only the daemon's user may read what a worker gets", "[service][fleet]") {
    const test::ScratchFolder folder;
    const WorkerPlaces places(folder.path() / "shared");
    places.prepare("a");
    CHECK(fs::exists(places.script()));
    CHECK_FALSE(fs::exists(places.place("a") / "worker.json"));
    places.give("a", R"({"server": "http://x"})", "cpu@n1", "secret");
    const auto mode = [&](const fs::path& file) { return fs::status(file).permissions(); };
    constexpr auto own = fs::perms::owner_read | fs::perms::owner_write;
    CHECK(mode(places.place("a") / "token") == own);
    CHECK(mode(places.place("a") / "worker.json") == own);
    CHECK(mode(places.place("a")) == fs::perms::owner_all);
    CHECK(mode(folder.path() / "shared") == fs::perms::owner_all);
    places.take("a");
    CHECK(fs::is_empty(places.place("a")));
    places.clear("a");
    CHECK_FALSE(fs::exists(places.place("a")));
}

TEST_CASE("Settings that are wrong give no token away", "[service][fleet]") {
    const test::ScratchFolder folder;
    const WorkerPlaces places(folder.path());
    places.prepare("a");
    CHECK_THROWS_AS(places.give("a", "[]", "cpu@n1", "secret"), Error);
    CHECK(fs::is_empty(places.place("a")));
    CHECK_THROWS_AS(read_settings(folder.path() / "none.json"), Error);
}
