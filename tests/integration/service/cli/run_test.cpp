#include "service/cli/run.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

TEST_CASE("The newest night that is done is summarised from its runs", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/nightlies?limit=50&project=lab&state=done", R"({"items":[{"id":9}]})");
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
    // What failed says how it ran, too.
    desk.answer(
        "GET /api/v1/runs/4",
        R"({"purpose":"nightly","outcome":"oom","project":"lab","machine_class":"xeon",
"benchmark":"vgg16","variant":"fast","said":[{"name":"backend","text":"jit"}]})");
    CHECK(desk.run({"summarize", "--project", "lab", "--rule", "runner_v1"}) == 0);
    CHECK(desk.said("50%, 1/2"));
    CHECK(desk.said("3.00x"));
    CHECK(desk.said("vgg16 (oom)"));
    CHECK(desk.requests.size() == 5);
    CHECK(Desk().run({"summarize"}) == 4);
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

TEST_CASE("Regressions are filtered by the server, in one request", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/regressions?limit=30&state=open", regressions);
    desk.answer(
        "GET /api/v1/regressions?benchmark=mlp&limit=2&since_s=1795219200&state=reported",
        no_items);
    desk.answer("GET /api/v1/series?limit=500", R"({"items":[{"benchmark":"mlp"}]})");
    CHECK(desk.run({"regressions", "--open"}) == 0);
    CHECK(desk.said("7   tensorlab  reported"));
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

TEST_CASE("People's words change a regression's state", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/regressions/7/state", R"({"id":7,"state":"accepted"})");
    CHECK(desk.run({"regression", "accept", "7", "--reason", "price of safety"}) == 0);
    CHECK(desk.requests[0].body == R"({"reason":"price of safety","state":"accepted"})");
    CHECK(desk.run({"regression", "accept", "7"}) == 2);
    CHECK(desk.complained("needs --reason"));
    CHECK(desk.run({"regression", "acknowledge", "seven"}) == 2);
    CHECK(desk.run({"regression", "reopen", "7"}) == 2);
    CHECK(desk.requests.size() == 1);
    CHECK(desk.run({"regression", "reopen", "7", "--reason", "back"}) == 0);
    CHECK(desk.requests[1].body == R"({"reason":"back","state":"reported"})");
}

TEST_CASE("People say who looks at it, and what is not spoken of for a while", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/regressions/7/assign", R"({"id":7,"assigned":"ada"})");
    CHECK(desk.run({"regression", "assign", "7", "--to", "ada"}) == 0);
    CHECK(desk.requests[0].body == R"({"to":"ada"})");
    CHECK(desk.run({"regression", "assign", "7", "--nobody"}) == 0);
    CHECK(desk.requests[1].body == R"({"to":""})");
    CHECK(desk.run({"regression", "assign", "7"}) == 2);
    desk.answer(
        "POST /api/v1/regressions/7/mute", R"({"id":2,"until_s":1796438700,"regression":7})", 201);
    CHECK(desk.run({"regression", "mute", "7", "--until", "14d", "--reason", "in review"}) == 0);
    CHECK(desk.requests[2].body == R"({"reason":"in review","until_s":1796438700})");
    CHECK(desk.said("Regression 7 is muted until 2026-12-05 02:45 (mute 2)."));
    CHECK(desk.run({"regression", "mute", "7", "--reason", "in review"}) == 2);
    CHECK(desk.run({"regression", "mute", "7", "--until", "2001-01-01", "--reason", "x"}) == 2);
    CHECK(desk.run({"series", "mute", "7", "--until", "14d"}) == 2);
    desk.answer("POST /api/v1/mutes/2/end", R"({"id":2})");
    CHECK(desk.run({"mute", "end", "2", "--reason", "it is in"}) == 0);
    desk.answer("POST /api/v1/workers/w1/quarantine", R"({"name":"w1","state":"quarantined"})");
    CHECK(desk.run({"worker", "quarantine", "w1"}) == 2);
    CHECK(desk.run({"worker", "quarantine", "w1", "--reason", "its fan"}) == 0);
    CHECK(desk.said("Worker w1 gets no jobs."));
}

TEST_CASE("A regression that was not found is told, and taken back", "[service][cli]") {
    Desk desk;
    desk.answer(
        "POST /api/v1/series/3/missed",
        R"({"id":5,"nightly":12,"good_nightly":11,"request":8,"state":"measuring"})",
        202);
    CHECK(desk.run({"regression", "missed", "3"}) == 2);
    CHECK(desk.run({"regression", "missed", "x", "--since", "12"}) == 2);
    CHECK(desk.requests.empty());
    CHECK(
        desk.run({"regression", "missed", "3", "--since", "2026-11-22", "--commit", "1a2b"}) == 0);
    CHECK(desk.requests[0].body == R"({"commit":"1a2b","since":"2026-11-22"})");
    CHECK(desk.said("Missed regression 5: night 12 is compared with night 11 (request 8)."));
    desk.answer(
        "GET /api/v1/missed?limit=500&series=3",
        R"({"items":[{"id":6,"nightly":12,"night":"2026-11-22","state":"taken_back"},
{"id":5,"nightly":12,"night":"2026-11-22","state":"undecided"}],"next_cursor":null})");
    desk.answer("DELETE /api/v1/missed/5", R"({"id":5,"state":"taken_back"})");
    CHECK(desk.run({"regression", "missed", "3", "--since", "2026-11-22.1", "--take-back"}) == 0);
    CHECK(desk.said("Report 5 of a missed regression is withdrawn."));
    CHECK(desk.run({"regression", "missed", "3", "--since", "13", "--take-back"}) == 4);
}

TEST_CASE("The list of regressions says whose they are, and which are muted", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/regressions?assigned=ada&limit=30",
        R"({"items":[{"id":7,"project":"p","state":"reported","muted":true,"assigned":"ada",
"created_at_s":1795212101,"series":[]}],"next_cursor":null})");
    CHECK(desk.run({"regressions", "--assigned", "ada"}) == 0);
    CHECK(desk.said("reported, muted, ada's"));
}

TEST_CASE("Who changed what is a table", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/audit?limit=30&object=regression%2F7",
        R"({"items":[{"id":3,"at_s":1795212101,"who":"ada","address":"10.0.0.7",
"action":"regression.state","object":"regression/7","reason":"the bounds check",
"asked":{"state":"accepted"},"request_id":"5f0c"}],"next_cursor":null})");
    CHECK(desk.run({"audit", "--object", "regression/7"}) == 0);
    CHECK(desk.said("10.0.0.7"));
    CHECK(desk.said(R"({"state":"accepted"})"));
    CHECK(desk.said("the bounds check"));
}

TEST_CASE("A token has several scopes and an end", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/tokens", R"({"name":"t","scope":"read,triage","secret":"s"})", 201);
    CHECK(desk.run({"token", "add", "t", "--scope", "triage,read", "--expires", "90d"}) == 0);
    CHECK(
        desk.requests[0].body == R"({"expires_at_s":1803005100,"name":"t","scope":"read,triage"})");
    CHECK(desk.run({"token", "add", "t", "--scope", "write"}) == 2);
    CHECK(desk.run({"token", "add", "t", "--expires", "soon"}) == 2);
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
    CHECK(desk.said("Report 13 has no failed delivery."));
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
    CHECK(desk.complained("not a Vigil server"));
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
    CHECK(desk.complained("unknown project 'tensorlba'; did you mean 'tensorlab'?"));
    desk.answer("GET /api/v1/nightlies?limit=30&project=tensorlab", no_items);
    CHECK(desk.run({"nights", "--project", "tensorlab"}) == 0);
    CHECK(desk.said("No night yet."));
    desk.answer("GET /api/v1/series?limit=500", R"({"items":[{"benchmark":"mlp"}]})");
    desk.answer("GET /api/v1/drifts?benchmark=conv&limit=30", no_items);
    CHECK(desk.run({"drifts", "--benchmark", "conv", "--json"}) == 4);
    CHECK(desk.complained("unknown benchmark 'conv'; it has mlp"));
    desk.answer("GET /api/v1/history?benchmark=mpl", "");
    CHECK(desk.run({"history", "--benchmark", "mpl"}) == 4);
    CHECK(desk.complained("unknown benchmark 'mpl'; did you mean 'mlp'?"));
}

TEST_CASE("An answer that cannot be written is an error", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/workers?limit=30", no_items);
    desk.out.setstate(std::ios::badbit);
    CHECK(desk.run({"workers"}) == 3);
    CHECK(desk.complained("writing to standard output"));
    CHECK(desk.run({"help"}) == 3);
}

TEST_CASE("A file system that refuses is told, and is no crash", "[service][cli]") {
    const std::string no_name(300, 'a');  // longer than a file's name may be
    Desk desk;
    CHECK(desk.run({"init", "--repo", no_name}) == 4);
    CHECK(desk.complained(no_name));
    desk.environment["HOME"] = "/" + no_name;
    desk.answer("GET /api/v1/nightlies?limit=30", no_items);
    CHECK(desk.run({"nights"}) == 0);
    CHECK(desk.said("No night yet."));
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
        {"trigger", "p", "--revision", "HEAD"},
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
