#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

namespace fs = std::filesystem;

TEST_CASE("A token's secret goes into a file of its own, or none is made", "[service][cli]") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "w1.token";
    Desk desk;
    desk.answer("POST /api/v1/tokens", R"({"name":"w1","scope":"worker","secret":"abc"})", 201);
    CHECK(desk.run({"token", "add", "w1", "--secret-file", file.string()}) == 0);
    CHECK_FALSE(desk.said("abc"));
    std::ifstream in(file);
    CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == "abc\n");
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    const auto asked = desk.requests.size();
    CHECK(desk.run({"token", "add", "w2", "--secret-file", file.string()}) == 4);
    CHECK(desk.complained("no token was created"));
    CHECK(desk.requests.size() == asked);
    const auto other = folder.path() / "w3.token";
    Desk refusing;
    refusing.answer("POST /api/v1/tokens", R"({"status":409,"detail":"there is one"})", 409);
    CHECK(refusing.run({"token", "add", "w3", "--secret-file", other.string()}) == 4);
    CHECK_FALSE(fs::exists(other));
}
