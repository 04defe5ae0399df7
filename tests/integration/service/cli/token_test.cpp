// Which token the program shows to whom.

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

TEST_CASE("A person's own token is shown to a server on this machine", "[service][cli]") {
    Desk desk;
    const test::ScratchFolder folder;
    desk.environment["HOME"] = folder.path().string();
    desk.answer("GET /api/v1/jobs?limit=3", R"({"items":[],"next_cursor":null})");
    CHECK(desk.run({"jobs", "--limit", "3"}) == 0);
    std::filesystem::create_directories(folder.path() / ".config/vigil");
    std::ofstream(folder.path() / ".config/vigil/token") << "mine\n";
    CHECK(desk.run({"jobs", "--limit", "3"}) == 0);
    REQUIRE(desk.requests.size() == 2);
    CHECK_FALSE(desk.requests[0].headers.contains("authorization"));
    CHECK(desk.requests[1].headers.at("authorization") == "Bearer mine");
}
