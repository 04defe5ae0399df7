#include "service/fleet/worker_places.hpp"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>

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

TEST_CASE("The folder of an allocation that is over goes after a week", "[service][fleet]") {
    const test::ScratchFolder folder;
    const WorkerPlaces places(folder.path() / "shared");
    const std::string old = "vigil-cpu-0000000000000001";
    const std::string open = "vigil-cpu-0000000000000002";
    const std::string stranger = "other-cpu-0000000000000003";
    const std::string logged = "vigil-cpu-0000000000000004";
    const auto now = fs::file_time_type::clock::now();
    const auto now_s = static_cast<std::int64_t>(std::time(nullptr));
    const auto age = [&](const fs::path& path) {
        fs::last_write_time(path, now - std::chrono::seconds(kept_log_s + 60));
    };
    for (const auto& name : {old, open, stranger, logged}) {
        places.prepare(name);
        std::ofstream(places.log(name)) << "it failed\n";
        if (name != logged) age(places.log(name));
        age(places.place(name));
    }
    CHECK(places.clear_old("vigil", {open}, now_s - 120) == 0);  // not old yet
    CHECK(places.clear_old("vigil", {open}, now_s) == 1);
    CHECK_FALSE(fs::exists(places.place(old)));
    CHECK(fs::exists(places.log(open)));
    CHECK(fs::exists(places.log(stranger)));
    CHECK(fs::exists(places.log(logged)));
    CHECK(fs::exists(places.script()));
    CHECK(WorkerPlaces(folder.path() / "none").clear_old("vigil", {}, now_s) == 0);
}
