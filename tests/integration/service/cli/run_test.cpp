#include "service/cli/run.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

namespace {

const std::string regressions = R"({"items":[{"id":7,"project":"tensorlab","state":"reported",
"culprit":"9cf258be147ad0369cf258be147ad0369cf258be","suspects":[],"created_at_s":1795229000,
"series":[{"benchmark":"mlp","variant":"train","machine_class":"xeon","metric":"cpu_time_ns",
"verdict":"regression","change_ratio":0.2,"confirmed":{"change_ratio":0.183}}]},
{"id":3,"project":"tensorlab","state":"closed","culprit":null,"suspects":[],"created_at_s":1,
"series":[]}],"next_cursor":null})";

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

TEST_CASE("The newest night that is done is summarised from its runs", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/nightlies?limit=1&project=lab&state=done", R"({"items":[{"id":9}]})");
    desk.answer(
        "GET /api/v1/runs?limit=500&nightly=9",
        R"({"items":[{"id":1,"purpose":"nightly","outcome":"passed"},
{"id":2,"purpose":"nightly","outcome":"passed"},{"id":3,"purpose":"confirm","outcome":"passed"},
{"id":4,"purpose":"nightly","outcome":"oom","project":"lab","machine_class":"xeon",
"benchmark":"vgg16","variant":"jit"}]})");
    for (const std::string id : {"1", "2"}) {
        desk.answer(
            "GET /api/v1/runs/" + id,
            R"({"purpose":"nightly","outcome":"passed","project":"lab","machine_class":"xeon",
"benchmark":"mlp","variant":")" +
                std::string(id == "1" ? "eager" : "jit") +
                R"(","measurements":[{"metric":"wall_time_ns","unit":"ns","median":)" +
                (id == "1" ? "3000" : "1000") + "}]}");
    }
    CHECK(desk.run({"summarize", "--project", "lab", "--rule", "runner_v1"}) == 0);
    CHECK(desk.said("50%, 1/2"));
    CHECK(desk.said("3.00x"));
    CHECK(desk.said("vgg16 (oom)"));
    CHECK(desk.requests.size() == 4);
    CHECK(Desk().run({"summarize"}) == 4);
}

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
    CHECK(desk.run({"status"}) == 0);
    CHECK(desk.said("class.no_workers, first seen 1 min ago: 3 jobs wait"));
    CHECK(desk.said("Without a turn to be measured again: 2 ("));
    const auto first = desk.out.str().find("+12.5 %");
    CHECK(first < desk.out.str().find("mlp (infer) on xeon, cpu_time_ns"));
    CHECK(
        desk.said("tensorlab, nightly of 2026-11-20 (8f6d4b2907): confirming for 5 min 00 s, "
                  "about 5 min 00 s left (nights take 10 min 00 s)"));
    CHECK(desk.said("41"));
    CHECK(desk.said("block 3[2J"));
    CHECK(desk.out.str().find('\x1b') == std::string::npos);
    CHECK(desk.said("Waits: 2 probe"));
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
          "workers?limit=500",
          "troubles?limit=500&state=open",
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

TEST_CASE("Colours appear on a terminal only, and never with NO_COLOR", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/regressions?limit=30", regressions);
    desk.terminal = true;
    CHECK(desk.run({"regressions"}) == 0);
    CHECK(desk.said("\x1b[31mreported\x1b[0m"));
    desk.out.str("");
    desk.environment["NO_COLOR"] = "1";
    CHECK(desk.run({"regressions"}) == 0);
    CHECK_FALSE(desk.said("\x1b"));
}

TEST_CASE("Regressions are filtered by the server, and open ones here", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/regressions?limit=500", regressions);
    desk.answer(
        "GET /api/v1/regressions?benchmark=mlp&limit=2&since_s=1795219200&state=reported",
        no_items);
    desk.answer("GET /api/v1/series?limit=500", R"({"items":[{"benchmark":"mlp"}]})");
    CHECK(desk.run({"regressions", "--open"}) == 0);
    CHECK(desk.said("7   tensorlab  reported"));
    CHECK_FALSE(desk.said("closed"));
    CHECK(
        desk.run(
            {"regressions",
             "--benchmark",
             "mlp",
             "--since",
             "2026-11-21",
             "--state",
             "reported",
             "--limit",
             "2"}) == 0);
    CHECK(desk.said("No regression."));
}

TEST_CASE("A long list is followed page by page", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/jobs?limit=3", R"({"items":[{"id":9},{"id":8}],"next_cursor":"c8"})");
    desk.answer("GET /api/v1/jobs?cursor=c8&limit=1", R"({"items":[{"id":7}],"next_cursor":"c7"})");
    CHECK(desk.run({"jobs", "--limit", "3", "--json"}) == 0);
    CHECK(desk.said("\"id\": 7"));
    CHECK(desk.requests.size() == 2);
}

TEST_CASE(
    "The latest report is shown as it was written, without control characters", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/reports?kind=night&limit=1", R"({"items":[{"id":12}]})");
    desk.answer(
        "GET /api/v1/reports/12",
        R"({"id":12,"title":"all clear","body":"**All**\n\n\u001b[31mclear\n","messages":
[{"target":"files","state":"sent","external_ref":"/srv/r.md","message":""}]})");
    CHECK(desk.run({"report", "show", "latest", "--kind", "night"}) == 0);
    CHECK(desk.out.str() == "all clear\n\n**All**\n\n[31mclear\n\nfiles: sent, /srv/r.md\n");
}

TEST_CASE("Logs of a job are those of its builds and runs", "[service][cli]") {
    Desk desk;
    const std::string digest(64, 'a');
    desk.answer(
        "GET /api/v1/jobs/41",
        R"({"id":41,"builds":[{"id":5,"revision":"9cf258be147a"}],"runs":[{"id":107,
"benchmark":"mlp","variant":"train","outcome":"oom","message":"killed","log":null}]})");
    desk.answer(
        "GET /api/v1/builds/5",
        R"({"id":5,"products":[{"state":"failed","message":"no rule","log":")" + digest + "\"}]}");
    desk.answer("GET /api/v1/logs/" + digest, "make: *** \x1b[31mno rule\n");
    CHECK(desk.run({"logs", "41"}) == 0);
    CHECK(desk.said("== build of 9cf258be14: failed, no rule\nmake: *** [31mno rule\n"));
    CHECK(desk.said("== run 107: mlp (train) oom, killed\n(it left no log)\n"));
    CHECK(desk.run({"logs", "run/x"}) == 2);
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

TEST_CASE("A person's own token is shown to a server on this machine", "[service][cli]") {
    Desk desk;
    const test::ScratchFolder folder;
    desk.environment["HOME"] = folder.path().string();
    desk.answer("GET /api/v1/jobs?limit=3", no_items);
    CHECK(desk.run({"jobs", "--limit", "3"}) == 0);
    std::filesystem::create_directories(folder.path() / ".config/vigil");
    std::ofstream(folder.path() / ".config/vigil/token") << "mine\n";
    CHECK(desk.run({"jobs", "--limit", "3"}) == 0);
    REQUIRE(desk.requests.size() == 2);
    CHECK_FALSE(desk.requests[0].headers.contains("authorization"));
    CHECK(desk.requests[1].headers.at("authorization") == "Bearer mine");
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
        R"({"regressions":[{"id":7}],"all_clear":false,"waiting":0,"missing":[],"open":[
{"id":7,"state":"reported","title":"mlp +18 %","new":true},
{"id":3,"state":"acknowledged","title":"vgg +9 %","new":false,"found_day":"2026-11-01"}]})");
    CHECK(desk.run({"trigger", "tensorlab", "--wait"}) == 1);
    CHECK(
        desk.out.str() ==
        "looking for a nightly\nnightly of 2026-11-20: measuring\nnightly of 2026-11-20: done\n"
        "2 regressions are open, 1 found by this night:\n"
        "  7: mlp +18 % (reported)\n  3: vgg +9 % (acknowledged, since 2026-11-01)\n");
}

TEST_CASE("The end of a wait speaks of what is open, and names what is missing", "[service][cli]") {
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
        R"({"regressions":[{"id":7,"state":"accepted"}],"open":[],"missing":[],"all_clear":true})",
        "done");
    CHECK(clear == std::pair{0, std::string("nightly of d: done\nall clear\n")});
    const auto missing = wait(
        R"({"regressions":[],"open":[],"all_clear":false,"waiting":1,"missing":[
{"what":"job 6 (nightly) parked","why":"lost 3 times"}]})",
        "done");
    CHECK(missing.first == 0);
    CHECK(
        missing.second ==
        "nightly of d: done\nnothing is open\n1 thing is missing:\n"
        "  job 6 (nightly) parked: lost 3 times\n1 suspicion waits for the next night's runs\n");
    const auto failed = wait(R"({"open":[],"missing":[],"all_clear":false})", "failed");
    CHECK(failed == std::pair{1, std::string("nightly of d: failed: why\n")});
}

TEST_CASE("Waiting is given up after the time allowed", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/triggers", R"({"trigger":5})", 202);
    desk.answer("GET /api/v1/triggers/5", R"({"state":"waiting","nightly":null})");
    CHECK(desk.run({"trigger", "tensorlab", "--wait", "--timeout", "10"}) == 1);
    CHECK(desk.complained("did not end in 10 s"));
}

TEST_CASE("People's words change a regression's state", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/regressions/7/state", R"({"id":7,"state":"accepted"})");
    CHECK(desk.run({"regression", "accept", "7", "--reason", "price of safety"}) == 0);
    CHECK(desk.requests[0].body == R"({"reason":"price of safety","state":"accepted"})");
    CHECK(desk.run({"regression", "accept", "7"}) == 2);
    CHECK(desk.complained("needs --reason"));
    CHECK(desk.run({"regression", "acknowledge", "seven"}) == 2);
    CHECK(desk.requests.size() == 1);
}

TEST_CASE("A token's secret alone goes to standard output", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/tokens", R"({"name":"w1","scope":"worker","secret":"abc"})", 201);
    CHECK(desk.run({"token", "add", "w1", "--scope", "worker"}) == 0);
    CHECK(desk.out.str() == "abc\n");
    CHECK(desk.requests[0].body == R"({"name":"w1","scope":"worker"})");
    desk.answer("DELETE /api/v1/tokens/w1", "", 204);
    CHECK(desk.run({"token", "revoke", "w1"}) == 0);
    desk.answer("POST /api/v1/jobs/4/cancel", R"({"id":4,"state":"cancelled"})");
    CHECK(desk.run({"job", "cancel", "4"}) == 0);
    desk.answer("POST /api/v1/workers/w1/release", R"({"name":"w1","state":"active"})");
    CHECK(desk.run({"worker", "release", "w1"}) == 0);
    CHECK(desk.said("w1 may measure again"));
}

TEST_CASE("A report that was given up is sent again on request", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/reports/12/retry", R"({"id":12,"targets":["issues"]})");
    CHECK(desk.run({"report", "retry", "12"}) == 0);
    CHECK(desk.said("Report 12 will be sent to issues again."));
    desk.answer("POST /api/v1/reports/13/retry", R"({"id":13,"targets":[]})");
    CHECK(desk.run({"report", "retry", "13"}) == 0);
    CHECK(desk.said("Nothing of report 13 was given up."));
    CHECK(desk.run({"report", "retry", "14"}) == 4);
}

TEST_CASE("A refusal ends with 4 and says why in the server's words", "[service][cli]") {
    Desk desk;
    CHECK(desk.run({"report", "show", "99"}) == 4);
    CHECK(desk.complained("no such thing"));
    desk.answer(
        "GET /api/v1/tokens?limit=30", R"({"status":401,"detail":"who\u001b are you"})", 401);
    CHECK(desk.run({"token", "list"}) == 4);
    CHECK(desk.complained("--token-file"));
    CHECK_FALSE(desk.complained("\x1b"));
}

TEST_CASE("A server that is not there, or not one of ours, ends with 3", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/workers?limit=30", "<html>hello</html>");
    CHECK(desk.run({"workers"}) == 3);
    CHECK(desk.complained("no Vigil server"));
    desk.answer("GET /api/v1/nightlies?limit=30", R"({"detail":"starting"})", 503);
    CHECK(desk.run({"nights"}) == 3);
    CHECK(desk.run({"nights", "--server", "http://127.0.0.1:1"}) == 3);
    CHECK(desk.complained("http://127.0.0.1:1: "));
}

TEST_CASE("Nothing found is told from a name that the daemon does not know", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/projects?limit=500", R"({"items":[{"name":"tensorlab"}]})");
    desk.answer("GET /api/v1/nightlies?limit=30&project=tensorlba", no_items);
    CHECK(desk.run({"nights", "--project", "tensorlba"}) == 4);
    CHECK(desk.complained("no project 'tensorlba'; did you mean 'tensorlab'?"));
    desk.answer("GET /api/v1/nightlies?limit=30&project=tensorlab", no_items);
    CHECK(desk.run({"nights", "--project", "tensorlab"}) == 0);
    CHECK(desk.said("No night yet."));
    desk.answer("GET /api/v1/series?limit=500", R"({"items":[{"benchmark":"mlp"}]})");
    desk.answer("GET /api/v1/drifts?benchmark=conv&limit=30", no_items);
    CHECK(desk.run({"drifts", "--benchmark", "conv", "--json"}) == 4);
    CHECK(desk.complained("no benchmark 'conv'; it has mlp"));
}

TEST_CASE("An answer that cannot be written is an error", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/workers?limit=30", no_items);
    desk.out.setstate(std::ios::badbit);
    CHECK(desk.run({"workers"}) == 3);
    CHECK(desk.complained("writing the answer"));
    CHECK(desk.run({"help"}) == 3);
}

TEST_CASE("A wrong command line ends with 2 and asks nobody", "[service][cli]") {
    Desk desk;
    const std::vector<std::vector<std::string>> wrong{
        {"statsu"},
        {"jobs", "--limit", "0"},
        {"regressions", "--since", "yesterday"},
        {"status", "--server", "ftp://x"},
        {"status", "--token-file", "/nonexistent"},
        {"trigger", "p", "--revision", "a", "--version", "b"},
        {"report", "show", "newest"},
        {"bisect"},
        {"bisect", "plan"},
        {"confirm", "--stdio", "--trigger", "levle"},
        {"confirm", "--stdio", "--trigger", "either:inf"},
        {"detect", "--stdio", "--threshold", "7"},
        {"detect", "-", "--svg", "/nonexistent/x.svg"},
        {"bisect", "replay", "/nonexistent", "--report", "found.txt"},
        {"bisect", "replay", "/nonexistent", "--report", "/nonexistent/found.md"},
        {"bisect",
         "run",
         "--good",
         "a",
         "--bad",
         "b",
         "--bench",
         "x",
         "--state",
         "/nonexistent",
         "--report",
         "found.pdf"},
        {"compare",
         "--good",
         "a",
         "--bad",
         "b",
         "--bench",
         "x",
         "--state",
         "/nonexistent",
         "--at-once",
         "3"}};
    for (const auto& args : wrong) {
        CAPTURE(args[0]);
        CHECK(desk.run(args) == 2);
    }
    CHECK(desk.requests.empty());
    CHECK(desk.run({"help"}) == 0);
    CHECK(desk.run({}) == 0);
    desk.out.str("");
    CHECK(desk.run({"--version"}) == 0);
    CHECK(desk.out.str().starts_with("vigil 0."));
}

TEST_CASE("Answers of the wrong shape never crash the program", "[service][cli]") {
    const auto which = GENERATE(
        R"({"items":[1,null,"x",[]]})",
        R"({"items":{"a":1}})",
        R"({"items":[{"id":"x","series":5,"fingerprint":[],"created_at_s":"y","suspects":{}}]})",
        R"({})");
    for (const auto* command : {"workers", "jobs", "nights", "regressions", "reports"}) {
        Desk desk;
        const std::string path = std::string(command) == "nights" ? "nightlies" : command;
        desk.answer("GET /api/v1/" + path + "?limit=30", which);
        CAPTURE(command, which);
        CHECK(desk.run({command}) == 0);
    }
}

TEST_CASE("Histories are exported page after page, as they came", "[service][cli]") {
    Desk desk;
    const std::string target = "GET /api/v1/history?machine_class=xeon&nights=30&project=demo";
    desk.canned[target].push_back(
        {200,
         "{\"series\":\"a\",\"values\":[1]}\n",
         {{"link", "</api/v1/history?after=7>; rel=\"next\""}},
         {}});
    desk.answer("GET /api/v1/history?after=7", "{\"series\":\"b\",\"values\":[2]}\n");
    CHECK(
        desk.run({"history", "--project", "demo", "--machine-class", "xeon", "--nights", "30"}) ==
        0);
    CHECK(
        desk.out.str() == "{\"series\":\"a\",\"values\":[1]}\n{\"series\":\"b\",\"values\":[2]}\n");
}

TEST_CASE("A server cannot send an export round in circles", "[service][cli]") {
    Desk desk;
    desk.canned["GET /api/v1/history"].push_back(
        {200, "", {{"link", "</api/v1/history>; rel=\"next\""}}, {}});
    CHECK(desk.run({"history"}) == 0);
    CHECK(desk.requests.size() == 1);
}
