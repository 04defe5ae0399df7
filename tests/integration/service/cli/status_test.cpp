#include <fstream>

#include <catch2/catch.hpp>

#include "service/cli/run.hpp"
#include "tests/integration/service/cli/desk.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

namespace {

void night(Desk& desk, const std::string& state) {
    desk.answer(
        "GET /api/v1/nightlies?limit=50",
        R"({"items":[{"id":2,"project":"tensorlab","day":"2026-11-20","revision":"8f6d4b2907",
"state":")" +
            state +
            R"(","message":"","created_at_s":1795228800,"ended_at_s":null},
{"id":1,"project":"tensorlab","day":"2026-11-19","revision":"0369cf258b","state":"done",
"message":"","created_at_s":1795100000,"ended_at_s":1795100600}],"next_cursor":null})");
    desk.answer(
        "GET /api/v1/jobs?limit=500&state=leased",
        R"({"items":[{"id":41,"purpose":"confirm","worker":"w1","progress":"block 3\u001b[2J",
"created_at_s":1795229000}],"next_cursor":null})");
    desk.answer(
        "GET /api/v1/jobs?limit=500&state=queued",
        R"({"items":[{"id":42,"purpose":"probe"},{"id":43,"purpose":"probe"}]})");
    desk.answer(
        "GET /api/v1/jobs?limit=500&state=parked",
        R"({"items":[{"id":39,"purpose":"nightly","nightly":2,"machine_class":"xeon",
"message":"3 workers lost it"},{"id":5,"purpose":"nightly","nightly":1,"message":"long ago"}]})");
    desk.answer(
        "GET /api/v1/workers?limit=500",
        R"({"items":[{"name":"w1","state":"active","unseen_s":null},{"name":"w2",
"state":"quarantined","reason":"other cpu"},{"name":"w3","state":"active","unseen_s":241}]})");
}

}  // namespace

TEST_CASE("Status tells what runs, waits and is open, and how long it takes", "[service][cli]") {
    Desk desk;
    night(desk, "confirming");
    desk.answer("GET /api/v1/regressions?limit=500", regressions);
    desk.answer(
        "GET /api/v1/suspicions?limit=500&nightly=2",
        R"({"items":[{"id":5,"state":"ended","verdict":"noise","session":3,"waits":""},
{"id":6,"state":"open","session":null,"waits":"","chance":0.2,"waited":0,"change_ratio":0.08,
"benchmark":"mlp","variant":"infer","machine_class":"xeon","metric":"cpu_time_ns"},
{"id":7,"state":"ended","verdict":"watch","session":null,"waits":"number 1 of 1","chance":0.9,
"waited":2,"change_ratio":0.125,"benchmark":"vgg","variant":"\u001b[2J","machine_class":"xeon",
"metric":"cpu_time_ns"},
{"id":8,"state":"confirming","session":4,"waits":""}]})");
    desk.answer(
        "GET /api/v1/troubles?limit=500&state=open",
        R"({"items":[{"id":1,"kind":"class.no_workers","since_s":1795229040,
"message":"3 jobs wait\u001b[2J"}]})");
    desk.answer(
        "GET /api/v1/allocations?limit=500&state=pending",
        R"({"items":[{"id":3,"machine_class":"a100","name":"vigil-a100-c","state":"pending",
"created_at_s":1795229040,"reason":"Resources (all nodes are in use)\u001b[2J"}]})");
    desk.answer(
        "GET /api/v1/queue",
        R"({"items":[{"state":"leased","purpose":"confirm","project":"tensorlab","jobs":1,
"machine_class":"xeon","oldest_at_s":1795229000,"why":""},{"state":"queued","purpose":"probe",
"project":"tensorlab","jobs":2,"machine_class":"a100","oldest_at_s":1795229040,
"why":"all workers of the class are at work: 2"}]})");
    CHECK(desk.run({"status"}) == 0);
    CHECK(desk.said(
        "Waits: 2 probe\n  2 probe of tensorlab for class a100, the oldest made 1 min ago: "
        "all workers of the class are at work: 2\n"));
    CHECK(
        desk.said("pending: vigil-a100-c of class a100, requested 1 min ago: Resources (all nodes "
                  "are in use)"));
    CHECK(desk.said("class.no_workers, first seen 1 min ago: 3 jobs wait"));
    CHECK(desk.said("Deferred (budget): 2 ("));
    const auto first = desk.out.str().find("+12.5 %");
    CHECK(first < desk.out.str().find("mlp (infer) on xeon, cpu_time_ns"));
    CHECK(
        desk.said("tensorlab, nightly of 2026-11-20 (8f6d4b2907): confirming for 5 min 00 s, "
                  "about 5 min 00 s left (nights take 10 min 00 s)"));
    CHECK(desk.said("41"));
    CHECK(desk.said("block 3[2J"));
    CHECK(desk.out.str().find('\x1b') == std::string::npos);
    CHECK(desk.said("mlp (train) on xeon, cpu_time_ns +18.3 %"));
    CHECK(desk.said("9cf258be14"));
    CHECK(desk.said("1 active, 1 not seen, 1 quarantined"));
    CHECK(desk.said("w2: quarantined: other cpu"));
    CHECK(desk.said("w3: not seen for 4 min 01 s"));
    CHECK(desk.said("Parked, given up: 1 ("));
    CHECK(desk.said("job 39 (nightly) of night 2 on xeon: 3 workers lost it"));
    CHECK_FALSE(desk.said("long ago"));
    CHECK(desk.run({"status", "--exit-code"}) == 1);
}

TEST_CASE("Status with nothing open ends well", "[service][cli]") {
    Desk desk;
    for (const auto* path :
         {"nightlies?limit=50",
          "jobs?limit=500&state=leased",
          "jobs?limit=500&state=queued",
          "jobs?limit=500&state=parked",
          "troubles?limit=500&state=open",
          "workers?limit=500",
          "allocations?limit=500&state=pending",
          "queue",
          "regressions?limit=500"}) {
        desk.answer(std::string("GET /api/v1/") + path, no_items);
    }
    CHECK(desk.run({"status", "--exit-code"}) == 0);
    CHECK(desk.said("No night yet."));
    CHECK(desk.said("Open: nothing"));
    desk.out.str("");
    CHECK(desk.run({"status", "--json"}) == 0);
    CHECK(desk.out.str().starts_with("{\n"));
    CHECK(desk.said("\"open\": []"));
}

TEST_CASE("A trigger carries project, revision, key and token", "[service][cli]") {
    Desk desk;
    const test::ScratchFolder folder;
    const std::string token = (folder.path() / "token").string();
    std::ofstream(token) << "s3cret\n";
    desk.environment["VIGIL_TOKEN_FILE"] = token;
    desk.answer("POST /api/v1/triggers", R"({"trigger":5})", 202);
    CHECK(desk.run({"trigger", "tensorlab", "--version", "1.2"}) == 0);
    CHECK(desk.said("trigger 5"));
    REQUIRE(desk.requests.size() == 1);
    CHECK(desk.requests[0].headers.at("authorization") == "Bearer s3cret");
    CHECK(desk.requests[0].headers.at("idempotency-key") == "key-1");
    CHECK(desk.requests[0].body == R"({"project":"tensorlab","version":"1.2"})");
}

TEST_CASE("Waiting for a night shows its steps and ends with what it found", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/triggers", R"({"trigger":5})", 202);
    desk.answer("GET /api/v1/triggers/5", R"({"state":"waiting","nightly":null})");
    desk.answer("GET /api/v1/triggers/5", R"({"state":"done","nightly":2})");
    desk.answer("GET /api/v1/nightlies/2", R"({"state":"measuring","day":"2026-11-20"})");
    desk.answer("GET /api/v1/nightlies/2", R"({"state":"done","day":"2026-11-20"})");
    desk.answer(
        "GET /api/v1/nights/2/summary",
        R"({"nightly":{"id":2},"headline":{"words":"2 open, 1 new","coverage":"9 series"},"open":[
{"id":7,"state":"reported","title":"mlp +18 %","new":true},
{"id":3,"state":"acknowledged","title":"vgg +9 %","new":false,"found_day":"2026-11-01"}]})");
    CHECK(desk.run({"trigger", "tensorlab", "--wait"}) == 1);
    CHECK(
        desk.out.str() ==
        "looking for a nightly\nnightly of 2026-11-20: measuring\nnightly of 2026-11-20: done\n"
        "2 open, 1 new: 9 series\n"
        "  7: mlp +18 % (reported)\n  3: vgg +9 % (acknowledged, since 2026-11-01)\n");
}

TEST_CASE("The end of a wait says how the night stands", "[service][cli]") {
    const auto wait = [](const std::string& summary, const std::string& state) {
        Desk desk;
        desk.answer("POST /api/v1/triggers", R"({"trigger":5})", 202);
        desk.answer("GET /api/v1/triggers/5", R"({"state":"done","nightly":2})");
        desk.answer(
            "GET /api/v1/nightlies/2", R"({"state":")" + state + R"(","day":"d","message":"why"})");
        desk.answer("GET /api/v1/nights/2/summary", summary);
        const int code = desk.run({"trigger", "tensorlab", "--wait"});
        return std::pair{code, desk.out.str()};
    };
    // Found by this night, and accepted meanwhile: nothing is open.
    const auto clear = wait(
        R"({"regressions":[{"id":7,"state":"accepted"}],"open":[],"missing":[],
"headline":{"words":"all clear","coverage":"9 series compared in 18 runs"}})",
        "done");
    CHECK(
        clear ==
        std::pair{0, std::string("nightly of d: done\nall clear: 9 series compared in 18 runs\n")});
    const auto beside = wait(
        R"({"nightly":{"id":2,"beside":"not newer than nightly 1"},"open":[],"missing":[],
"headline":{"words":"measured beside the nights","coverage":""}})",
        "done");
    CHECK(
        beside.second ==
        "nightly of d: done\nmeasured beside the nights\n  not newer than nightly 1\n");
    const auto missing = wait(
        R"({"open":[],"headline":{"words":"1 missing, 1 waiting"},"missing":[
{"what":"job 6 (nightly) parked","why":"lost 3 times"}]})",
        "done");
    CHECK(missing.first == 0);
    CHECK(
        missing.second ==
        "nightly of d: done\n1 missing, 1 waiting\n"
        "  missing: job 6 (nightly) parked: lost 3 times\n");
    const auto failed =
        wait(R"({"open":[],"missing":[],"headline":{"words":"not judged"}})", "failed");
    CHECK(failed == std::pair{1, std::string("nightly of d: failed: why\nnot judged\n")});
    Desk desk;  // nothing new to measure
    desk.answer("POST /api/v1/triggers", R"({"trigger":5})", 202);
    desk.answer(
        "GET /api/v1/triggers/5", R"({"state":"done","nightly":null,"message":"nothing new"})");
    desk.answer("GET /api/v1/regressions?limit=500&project=tensorlab", regressions);
    CHECK(desk.run({"trigger", "tensorlab", "--wait"}) == 1);
    CHECK(desk.said("nothing new\n1 regression open\n  7: mlp (train)"));
}

TEST_CASE("Waiting is given up after the time allowed", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/triggers", R"({"trigger":5})", 202);
    desk.answer("GET /api/v1/triggers/5", R"({"state":"waiting","nightly":null})");
    CHECK(desk.run({"trigger", "tensorlab", "--wait", "--timeout", "10"}) == 1);
    CHECK(desk.complained("did not end in 10 s"));
}
