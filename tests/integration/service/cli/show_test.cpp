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
"confirmed":{"change_ratio":0.19},"size":{"change_ratio":0.183,"low":0.17,"high":0.2},
"today":{"change_ratio":0.066,"low":0.051,"high":0.082},"recovered_nightly":9},{"series":6,"benchmark":"conv",
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
    CHECK(
        desk.said("5       +18.3 % [17.0, 20.0]  +6.6 % [5.1, 8.2]  night 9    mlp (train) on "
                  "xeon, cpu_time_ns\n"));
    CHECK(
        desk.said("6       broken                -                  -          conv (train) on "
                  "xeon, cpu_time_ns\n"));
    CHECK(desk.run({"regression", "show", "7", "--json"}) == 0);
    CHECK(desk.said(R"("issue": "https://tracker.example/3")"));
}

TEST_CASE("A regression's page says what fixed it, as strong as it is known", "[service][cli]") {
    const auto says = [&](const std::string& fix, const std::string& words) {
        Desk desk;
        const std::string ends =
            R"("bad_revision":"aaaaaaaaaaaa","revision":"bbbbbbbbbbbb","nightly":9,)";
        desk.answer(
            "GET /api/v1/regressions/7",
            R"({"id":7,"project":"tensorlab","state":"closed","nightly":8,"culprit":null,)"
            R"("good_revision":"a","bad_revision":"b","suspects":[],"reason":"",)"
            R"("created_at_s":1795229000,"culprit_commit":null,"links":{},"series":[],)"
            R"("reports":[],"answer":null,"earlier":[3],"mendings":[{)" +
                ends + fix + "}]}");
        CHECK(desk.run({"regression", "show", "7"}) == 0);
        CHECK(desk.said("earlier   vigil regression show 3\n"));
        return desk.said(words);
    };
    const std::string commit =
        R"("commit":{"revision":"cccc","subject":"Back\u001b[2J","author":"A"},"commits":4,)";
    CHECK(says(
        R"("by":"revert","reverts":"dddddddddddd","merge":"eeeeeeeeeeee","reason":"",)" + commit +
            R"("links":{"commit":"https://git.example/c","range":"https://git.example/r"})",
        "fixed     night 9: cccc Back[2J (A), brought by the merge eeeeeeeeee, whose text says "
        "that it reverts dddddddddd\n          https://git.example/c\n"));
    const std::string no_more = R"("merge":null,"reverts":null,"reason":"","links":{},)" + commit;
    CHECK(says(no_more + R"("by":"fix")", "(A), which says that it fixes the issue\n"));
    CHECK(says(no_more + R"("by":"only")", "(A), the only commit in between\n"));
    CHECK(says(
        R"("by":"one_of","commit":null,"merge":null,"reverts":null,"commits":12,"reason":"",)"
        R"("links":{"commit":null,"range":"https://git.example/r"})",
        "night 9: one of 12 commits after aaaaaaaaaa up to bbbbbbbbbb\n"
        "          https://git.example/r\n"));
    CHECK(says(no_more + R"("by":"measured")", "(A), built and measured with it and without\n"));
    CHECK(says(
        R"("by":"one_of","commit":null,"candidates":["ccccccccccccc","dd"],"commits":12,"links":{})",
        "night 9: as measured one or more of cccccccccc, dd, among 12 commits after aaaaaaaaaa"));
    const std::string unknown = R"("by":null,"commit":null,"commits":0,"links":{},"reason":)";
    CHECK(says(unknown + "\"archives\"", "after aaaaaaaaaa up to bbbbbbbbbb: archives\n"));
    CHECK(says(unknown + "\"\"", "the commits in between are being listed\n"));
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
