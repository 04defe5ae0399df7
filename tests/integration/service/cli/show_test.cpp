// What the page of one regression says.

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

namespace {

const std::string culprit(40, 'b');

std::string regression(const std::string& links) {
    return R"({"id":7,"project":"tensorlab","state":"accepted","nightly":8,"culprit":")" + culprit +
           R"(","good_revision":"aaaa","bad_revision":"bbbb","suspects":[],"reason":"",
"created_at_s":1795229000,"culprit_commit":{"subject":"cast\u001b[2J late","author":"Author One"},
"links":)" +
           links + R"(,"series":[{"series":5,"benchmark":"mlp","variant":"train",
"machine_class":"xeon","metric":"cpu_time_ns","verdict":"regression","change_ratio":0.2,
"confirmed":{"change_ratio":0.183},"recovered_nightly":9},{"series":6,"benchmark":"conv",
"variant":"train","machine_class":"xeon","metric":"cpu_time_ns","verdict":"broken",
"change_ratio":0.0,"recovered_nightly":null}],"reports":[{"id":12},{"id":4}],
"answer":{"state":"accepted","by":"me","reason":"the check","at_s":1795229100}})";
}

}  // namespace

TEST_CASE("A regression's page has its addresses, series, report and answer", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/regressions/7",
        regression(R"({"self":null,"culprit":"https://git.example/c/b","parent":null,
"range":"https://git.example/r/a..b","issue":"https://tracker.example/3"})"));
    CHECK(desk.run({"regression", "show", "7"}) == 0);
    CHECK(desk.said("Regression 7 of tensorlab: accepted\n"));
    CHECK(desk.said("culprit   " + culprit + " cast[2J late (Author One)\n"));
    CHECK(desk.said("\n          https://git.example/c/b\n"));
    CHECK(desk.said("bad       bbbb\n          https://git.example/r/a..b\n"));
    CHECK(desk.said("issue     https://tracker.example/3\n"));
    CHECK(desk.said("report    vigil report show 12\n"));
    CHECK(desk.said("answer    accepted by me, 2026-11-21 02:45: the check\n"));
    CHECK(desk.said("5       +18.3 %  night 9    mlp (train) on xeon, cpu_time_ns\n"));
    CHECK(desk.said("6       broken   -          conv (train) on xeon, cpu_time_ns\n"));
    CHECK(desk.run({"regression", "show", "7", "--json"}) == 0);
    CHECK(desk.said(R"("issue": "https://tracker.example/3")"));
}

TEST_CASE("What has no address is shown without one", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/regressions/7",
        regression(R"({"self":null,"culprit":null,"parent":null,"range":null,"issue":null})"));
    CHECK(desk.run({"regression", "show", "7"}) == 0);
    CHECK(desk.said("(Author One)\ngood      aaaa\nbad       bbbb\nanswer"));
    CHECK_FALSE(desk.said("issue"));
    CHECK_FALSE(desk.said("http"));
}

TEST_CASE("Reports are listed by every kind that there is", "[service][cli]") {
    Desk desk;
    for (const std::string kind : {"regression", "night", "trouble"}) {
        CAPTURE(kind);
        desk.answer("GET /api/v1/reports?kind=" + kind + "&limit=30", no_items);
        CHECK(desk.run({"reports", "--kind", kind}) == 0);
    }
}
