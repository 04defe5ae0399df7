// Asking a daemon to measure something.

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

namespace {

std::string request(const std::string& kind, const std::string& state, const std::string& more) {
    return R"({"id":3,"project":"lab","kind":")" + kind + R"(","state":")" + state +
           R"(","a":"main","b":"v2","a_revision":null,"b_revision":")" + std::string(40, 'b') +
           R"(","by":"me","message":"","created_at_s":1795229000,"runs":8,"most_runs":48)" + more +
           "}";
}

std::string sessions(const std::string& verdict) {
    return R"(,"culprit":null,"sessions":[{"benchmark":"mlp","variant":"train",
"machine_class":"xeon","message":"","runs":[{"metric":"cpu_time_ns","value":2000000.0},
{"metric":"cpu_time_ns","value":4000000.0}],"verdicts":[{"metric":"cpu_time_ns","verdict":)" +
           verdict + R"(,"comparison":{"change_ratio":0.2,"low":0.19,"high":0.21,"runs_before":8,
"runs_after":8}}]}])";
}

}  // namespace

TEST_CASE("A comparison is asked for and waited for", "[service][cli]") {
    struct Case {
        std::string verdict;
        int code;
        std::string words;
    };
    const auto expected = GENERATE(
        Case{R"("regression")", 1, "worse"},
        Case{R"("noise")", 0, "the same"},
        Case{R"("improvement")", 0, "better"},
        Case{R"("watch")", 5, "undecided"});
    Desk desk;
    desk.answer("POST /api/v1/comparisons", R"({"request":3})", 202);
    desk.answer("GET /api/v1/requests/3", request("comparison", "measuring", ""));
    desk.answer(
        "GET /api/v1/requests/3", request("comparison", "done", sessions(expected.verdict)));
    CHECK(
        desk.run(
            {"ask",
             "compare",
             "lab",
             "main",
             "v2",
             "--benchmark",
             "mlp",
             "--runs",
             "8",
             "--machine-class",
             "xeon",
             "--wait"}) == expected.code);
    CHECK(desk.complained("measuring, 8 of at most 48 runs, at most 8 min 20 s left"));
    CHECK(desk.said("Request 3, comparison of main and bbbbbbbbbb: done\n"));
    CHECK(desk.said("mlp (train) on xeon, cpu_time_ns  " + expected.words));
    CHECK(desk.said("+20.0 % (+19.0 % to +21.0 %)"));
    const auto& body = desk.requests.front().body;
    for (const auto* part :
         {R"("a":"main")", R"("b":"v2")", R"("machine_class":"xeon")", R"("runs":8)"}) {
        CHECK(body.find(part) != body.npos);
    }
    CHECK(desk.requests.front().headers.at("idempotency-key") == "key-1");
}

TEST_CASE("Runs are shown by their medians", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/runs", R"({"request":3})", 202);
    desk.answer("GET /api/v1/requests/3", request("run", "done", sessions("null")));
    CHECK(desk.run({"ask", "run", "lab", "main"}) == 0);
    CHECK(desk.said("Request 3 is stored; vigil ask show 3 shows it.\n"));
    CHECK(desk.run({"ask", "show", "3"}) == 0);
    CHECK(desk.said("3.000 ms"));
    CHECK(desk.run({"ask", "show", "3", "--json"}) == 0);
    CHECK(desk.said(R"("most_runs": 48)"));
}

TEST_CASE("A search that was asked for says the commit, or that there is none", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/bisections", R"({"request":3})", 202);
    const std::string culprit =
        R"(,"sessions":[],"culprit":{"revision":"cccc","subject":"cast\u001b[2J late","author":"A"})";
    SECTION("the commit") {
        desk.answer("GET /api/v1/requests/3", request("bisection", "done", culprit));
        CHECK(desk.run({"ask", "bisect", "lab", "main", "v2", "--series", "5", "--wait"}) == 0);
        CHECK(desk.said("culprit  cccc cast[2J late (A)\n"));
    }
    SECTION("none") {
        desk.answer("GET /api/v1/requests/3", request("bisection", "done", sessions("\"noise\"")));
        CHECK(desk.run({"ask", "bisect", "lab", "main", "v2", "--series", "5", "--wait"}) == 5);
    }
    SECTION("it failed") {
        desk.answer("GET /api/v1/requests/3", request("bisection", "failed", ""));
        CHECK(desk.run({"ask", "bisect", "lab", "main", "v2", "--series", "5", "--wait"}) == 1);
    }
}

TEST_CASE("Requests are listed and cancelled, and a job is tried again", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/requests?limit=30&state=measuring",
        R"({"items":[)" + request("run", "measuring", "") + R"(],"next_cursor":null})");
    CHECK(desk.run({"ask", "list", "--state", "measuring"}) == 0);
    CHECK(desk.said("3   run   measuring  lab"));
    desk.answer("POST /api/v1/requests/3/cancel", R"({"id":3,"state":"cancelled"})");
    CHECK(desk.run({"ask", "cancel", "3"}) == 0);
    CHECK(desk.said("Request 3 is cancelled.\n"));
    desk.answer("POST /api/v1/jobs/41/retry", R"({"job":42})", 202);
    CHECK(desk.run({"job", "retry", "41"}) == 0);
    CHECK(desk.said("Job 41 is queued again as job 42.\n"));
}
