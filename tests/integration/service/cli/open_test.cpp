#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

TEST_CASE("The page of a thing is opened, and its address printed", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/regressions/7", R"({"id":7})");
    CHECK(desk.run({"open", "regression", "7"}) == 0);
    CHECK(desk.said(desk.server.url() + "/regressions/7\n"));
    REQUIRE(desk.scripts.size() == 1);
    CHECK(desk.scripts[0].find("'" + desk.server.url() + "/regressions/7'") != std::string::npos);
    CHECK(desk.run({"open"}) == 0);
    CHECK(desk.said(desk.server.url() + "/\n"));
    CHECK(desk.scripts.size() == 2);
}

TEST_CASE("An address can be printed alone, of the newest thing too", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/nightlies?limit=1", R"({"items":[{"id":12}],"next_cursor":null})");
    CHECK(desk.run({"open", "night", "--print"}) == 0);
    CHECK(desk.said("/nightlies/12\n"));
    desk.answer("GET /api/v1/bisections/3", R"({"id":3})");
    CHECK(desk.run({"open", "search", "3", "--json"}) == 0);
    CHECK(desk.said("/bisections/3\""));
    CHECK(desk.scripts.empty());
}

TEST_CASE("A page that is not there is refused before a browser starts", "[service][cli]") {
    Desk desk;
    CHECK(desk.run({"open", "regresion", "7"}) == 2);
    CHECK(desk.complained("did you mean"));
    CHECK(desk.run({"open", "regression", "seven"}) == 2);
    CHECK(desk.run({"open", "regression", "9"}) == 4);
    CHECK(desk.scripts.empty());
}
