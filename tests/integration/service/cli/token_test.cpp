// Which token the program shows to whom.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

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

TEST_CASE("A token may be made for some projects, and the list says of which", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/tokens", R"({"name":"ci","secret":"s"})");
    CHECK(desk.run({"token", "add", "ci", "--scope", "ingest", "--projects", "lab,old"}) == 0);
    CHECK(
        desk.requests.back().body == R"({"name":"ci","projects":["lab","old"],"scope":"ingest"})");
    const auto row = [](const char* name, const char* scope, const char* projects) {
        return std::string(R"({"id":1,"name":")") + name + R"(","scope":")" + scope +
               R"(","projects":)" + projects +
               R"(,"created_at_s":1,"expires_at_s":null,"used_at_s":null,"revoked_at_s":null})";
    };
    desk.answer(
        "GET /api/v1/tokens?limit=30",
        R"({"items":[)" + row("ci", "ingest", R"(["lab","old"])") + "," +
            row("before", "read,ingest", "null") + "," + row("eyes", "read", "null") +
            R"(],"next_cursor":null})");
    CHECK(desk.run({"token", "list"}) == 0);
    std::istringstream rows(desk.out.str());
    std::vector<std::string> cells;
    for (std::string cell; rows >> cell;) cells.push_back(cell);
    const auto after = [&](const char* word) {
        return *std::next(std::find(cells.begin(), cells.end(), word), 2);
    };
    CHECK(desk.said("SENDS FOR"));
    CHECK(after("ci") == "lab,old");
    CHECK(after("before") == "all");
    CHECK(after("eyes") == "1970-01-01");  // it sends nothing
}
