// What the commands that list say.

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

TEST_CASE("Drifts are listed with their size and since when they are", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/drifts?benchmark=mlp&limit=30",
        R"({"items":[{"id":3,"project":"lab","benchmark":"mlp","variant":"train",
"machine_class":"xeon","metric":"cpu_time_ns","kind":"history","since_day":"2026-11-14",
"change_ratio":0.031,"low":0.024,"high":0.038}],"next_cursor":null})");
    CHECK(desk.run({"drifts", "--benchmark", "mlp"}) == 0);
    CHECK(desk.said("2026-11-14  +3.1 %  +2.4 % to +3.8 %  history"));
    CHECK(desk.said("mlp (train) on xeon, cpu_time_ns"));
    desk.answer("GET /api/v1/drifts?limit=30", no_items);
    CHECK(desk.run({"drifts"}) == 0);
    CHECK(desk.said("No drift."));
}

TEST_CASE("What waits for its turn is listed with its chance and why", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/suspicions?limit=30&waiting=1",
        R"({"items":[{"id":3,"project":"lab","benchmark":"mlp","variant":"train","nightly":8,
"machine_class":"xeon","metric":"cpu_time_ns","state":"ended","verdict":"watch",
"change_ratio":0.091,"chance":0.25,"waited":2,"waits":"number 1 of 4 that wait",
"asked":"worse","old_nights":[{"nightly":7,"name":"2026-11-20","build":7,"revision":"aa"},
{"nightly":5,"name":"2026-11-18","build":5,"revision":"bb"}],
"reason":"+9.1 %"}],"next_cursor":null})");
    CHECK(desk.run({"suspicions", "--waiting"}) == 0);
    CHECK(desk.said("waits   +9.1 %  0.25    2       mlp (train) on xeon, cpu_time_ns"));
    CHECK(desk.said("worse  2026-11-20, 2026-11-18  number 1 of 4 that wait"));
    desk.answer("GET /api/v1/suspicions?limit=30&nightly=9&waiting=1", no_items);
    CHECK(desk.run({"suspicions", "--waiting", "--nightly", "9"}) == 0);
    CHECK(desk.said("No suspicion is deferred."));
}

TEST_CASE("A week is told as its message is", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/week?project=lab&until_s=1793491200",
        R"({"title":"the week","body":"**2 found.**\n\n- a \u001b[31m line\n"})");
    CHECK(desk.run({"week", "--project", "lab", "--until", "2026-11-01"}) == 0);
    CHECK(desk.said("the week\n\n**2 found.**\n\n- a "));
    CHECK_FALSE(desk.said("\x1b"));
}

TEST_CASE("Machine hours are listed by day, class and work", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/hours?project=lab&since_s=1793491200",
        R"({"project":"lab","since_day":"2026-11-01","until_day":"2026-11-03","hours":4.25,
"build_hours":0.5,"items":[{"day":"2026-11-02","machine_class":"xeon","work":"confirm",
"hours":4.25,"build_hours":0.5}]})");
    CHECK(desk.run({"hours", "--project", "lab", "--since", "2026-11-01"}) == 0);
    CHECK(desk.said("lab, from 2026-11-01 to before 2026-11-03 (UTC): 4.25 machine hours, 0.50"));
    CHECK(desk.said("2026-11-02  xeon   confirm  4.25 h  0.50 h"));
}

TEST_CASE("The service's own precision is told in words", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/precision?project=lab&since_s=1793491200",
        R"({"since_s":1793491200,"until_s":1795229101,"nights":14,"suspicions":{"opened":41,
"checks":8,"confirmed":3,"drift":2,"not_reproduced":30,"environment":4,"improvement":1,
"undecided":1,"waiting":0,"open":0},"regressions":{"opened":3,"upheld":2,"refuted":1,
"not_found_again":0,"recovered":0,"upheld_share":0.667},
"recall":{"found":3,"missed":1,"measuring":1,"undecided":0,"share":0.75},"time_to_verdict":{"verdicts":40,
"median_s":1500,"nine_of_ten_s":7200},"runs":{"nightly":1200,"confirm":160,"search":90},
"noisiest":[{"series":5,"benchmark":"mlp","variant":"train","machine_class":"xeon",
"metric":"cpu_time_ns","not_reproduced":7,"undecided":1,"runs":64,"spread_ratio":0.041}]})");
    CHECK(desk.run({"precision", "--project", "lab", "--since", "2026-11-01"}) == 0);
    CHECK(desk.said("nights 14, suspicions 41 (checks 8): 3 confirmed, 2 drift, 30 not"));
    CHECK(desk.said("regressions 3: 2 upheld and 1 refuted by a person (67 % upheld)"));
    CHECK(desk.said("recall 75 %: 3 found, 1 missed (1 being measured, 0 undecided)"));
    CHECK(desk.said("time to a verdict: median 25 min 00 s, p90 2 h 00 min"));
    CHECK(desk.said("mlp (train) on xeon  cpu_time_ns  7               1          64    4.1 %"));
    desk.answer("GET /api/v1/precision", R"({"nights":0,"suspicions":{"opened":0},"noisiest":[]})");
    CHECK(desk.run({"precision"}) == 0);
    CHECK(desk.said("nights 0, suspicions 0"));
}

TEST_CASE("Canaries are listed with how far off their chart they are", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/canaries?limit=30&worker=w1",
        R"({"items":[{"id":3,"nightly":8,"worker":"w1","machine_class":"xeon","state":"moved",
"moved_ratio":0.062,"message":"+6.20 % off its chart of 20 nights, which allows 2.00 %"},
{"id":2,"nightly":7,"worker":"w1","machine_class":"xeon","state":"learning","moved_ratio":null,
"message":"night 4"}],"next_cursor":null})");
    CHECK(desk.run({"canaries", "--worker", "w1"}) == 0);
    CHECK(desk.said("w1      xeon   moved     +6.2 %  +6.20 % off its chart"));
    CHECK(desk.said("w1      xeon   learning  -       night 4"));
}

TEST_CASE("Allocations are listed with their reason and their hours", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/allocations?limit=30&machine_class=a100",
        R"({"items":[{"id":2,"machine_class":"a100","name":"vigil-a100-b","state":"pending",
"cluster_job":41,"machine":"","outcome":null,"reason":"all nodes are in use",
"created_at_s":1700000000,"seen_at_s":null,"started_at_s":null,"ended_at_s":null
},
{"id":1,"machine_class":"a100","name":"vigil-a100-a","state":"ended","cluster_job":40,
"machine":"n1","outcome":"preempted","reason":"","created_at_s":1700000000,
"seen_at_s":1700000001,"started_at_s":1700000000,"ended_at_s":1700005400}],
"next_cursor":null
})");
    CHECK(desk.run({"fleet", "--machine-class", "a100"}) == 0);
    CHECK(desk.said("a100   vigil-a100-b  41   pending "));
    CHECK(desk.said("all nodes are in use"));
    CHECK(desk.said("preempted  n1       2023-11-14 22:13  1.50"));
}

TEST_CASE("A night is withdrawn by its name, and listed as such", "[service][cli]") {
    Desk desk;
    const std::string stands =
        R"([{"worker":null,"reason":"wrong driver","by":"ada","since_s":5}])";
    desk.answer(
        "GET /api/v1/nightlies?limit=1&nightly=2026-11-22",
        R"({"items":[{"id":12}],"next_cursor":null})");
    desk.answer("POST /api/v1/nights/12/withdraw", R"({"id":12,"withdrawn":)" + stands + "}");
    CHECK(desk.run({"night", "withdraw", "2026-11-22"}) == 2);
    CHECK(desk.complained("needs --reason"));
    CHECK(desk.requests.empty());
    CHECK(desk.run({"night", "withdraw", "2026-11-22", "--reason", "wrong driver"}) == 0);
    CHECK(desk.said("Night 12 is withdrawn by ada: wrong driver."));
    CHECK(desk.requests.back().body == R"({"reason":"wrong driver"})");
    CHECK(desk.run({"night", "withdraw", "12", "--worker", "w1", "--reason", "hot"}) == 0);
    CHECK(desk.requests.back().body == R"({"reason":"hot","worker":"w1"})");
    desk.answer("POST /api/v1/nights/12/restore", R"({"id":12,"withdrawn":[]})");
    CHECK(desk.run({"night", "restore", "12"}) == 0);
    CHECK(desk.said("Night 12 counts."));

    desk.answer(
        "GET /api/v1/nightlies?limit=30",
        R"({"items":[{"id":12,"project":"lab","name":"2026-11-22","revision":"aa","state":"done",
"message":"","created_at_s":5,"ended_at_s":9,"withdrawn":)" +
            stands + R"(}],"next_cursor":null})");
    CHECK(desk.run({"nights"}) == 0);
    CHECK(desk.said("withdrawn by ada: wrong driver"));
}

TEST_CASE("A list is had as the server writes it, a page at a time", "[service][cli]") {
    Desk desk;
    const auto week_ago = std::to_string(now_s - 7 * 86'400);
    const std::string asked = "format=csv&limit=500&since_s=" + week_ago + "&state=open";
    const std::string path = "/api/v1/regressions?";
    desk.canned["GET " + path + asked] = {
        {200,
         "id,state\r\n7,reported\r\n",
         {{"Link", "<" + path + "cursor=c6>; rel=\"next\""}},
         {}}};
    desk.answer(
        "GET " + path + "cursor=c6&format=csv&limit=100&since_s=" + week_ago + "&state=open",
        "id,state\r\n6,range\r\n");
    const auto ask = [&](const std::string& limit) {
        return desk.run(
            {"regressions",
             "--state",
             "open",
             "--since",
             "7d",
             "--format",
             "csv",
             "--limit",
             limit});
    };
    CHECK(ask("500") == 0);
    CHECK(desk.requests.size() == 1);
    CHECK(desk.out.str() == "id,state\n7,reported\n");
    desk.out.str("");
    CHECK(ask("600") == 0);
    CHECK(desk.out.str() == "id,state\n7,reported\n6,range\n");
}

TEST_CASE("What was recorded is listed", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/outbox?given_up=true&limit=30&state=dead",
        R"({"items":[{"id":31,"project":"lab","report":4,"target":"tracker","state":"dead",
"attempts":9,"next_attempt_at_s":null,"external_ref":"","message":"404"}],"next_cursor":null})");
    CHECK(desk.run({"outbox", "--state", "dead", "--given-up"}) == 0);
    CHECK(desk.said("31  lab      4       tracker  dead   9"));
    desk.answer("POST /api/v1/outbox/31/retry", R"({"id":31,"target":"tracker"})");
    CHECK(desk.run({"outbox", "retry", "31"}) == 0);
    CHECK(desk.said("Message 31 will be sent to tracker again."));
    desk.answer(
        "GET /api/v1/notices?given_up=true&limit=30",
        R"({"items":[{"id":12,"target":"tracker","place":"pull/7","number":7,"state":"dead",
"attempts":1,"next_attempt_at_s":null,"message":"400"}],"next_cursor":null})");
    CHECK(desk.run({"notices", "--given-up"}) == 0);
    CHECK(desk.said("12  tracker  pull/7  7"));
    desk.answer("POST /api/v1/notices/12/retry", R"({"id":12,"target":"tracker"})");
    CHECK(desk.run({"notices", "retry", "12"}) == 0);
    CHECK(desk.said("Notice 12 will be sent to tracker again."));
    desk.answer(
        "GET /api/v1/pulls?limit=30&number=7",
        R"({"items":[{"id":2,"project":"lab","number":7,"head":"aabbccddeeff0011","by":"label",
"state":"measuring","request":5,"message":""}],"next_cursor":null})");
    CHECK(desk.run({"pulls", "--number", "7"}) == 0);
    CHECK(desk.said("measuring"));
    desk.answer(
        "GET /api/v1/series/12/nights?limit=30&purpose=confirm",
        R"({"items":[{"id":8,"night":"2026-11-22.2","version":"v9","revision":"aabbccddeeff0011",
"state":"done","value":1234567.5,"runs":[{},{}]},{"id":7,"night":"2026-11-21","version":"v8",
"revision":"bb","state":"done","value":null,"runs":[]}],"next_cursor":null})");
    CHECK(desk.run({"series", "show", "12", "--purpose", "confirm"}) == 0);
    CHECK(desk.said("2026-11-22.2  v9"));
    CHECK(desk.said("1.23457e+06  2"));
    for (const std::string name :
         {"projects", "series", "events", "bisections", "triggers", "deliveries"}) {
        desk.answer("GET /api/v1/" + name + "?limit=30", no_items);
        CHECK(desk.run({name}) == 0);
        CHECK(desk.said("No "));
    }
}

TEST_CASE("Nights that are rolled up are listed with what is gone of them", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/retention?limit=30&project=lab",
        R"({"items":[{"id":3,"project":"lab","night":"2025-10-20","day":"2025-10-20",
"rolled_up_at_s":1795000000,"ended_at_s":1795000001,"jobs":12,"kept_jobs":2,"runs":36,
"measurements":72,"samples":720,"suspicions":4}],"next_cursor":null})");
    CHECK(desk.run({"retention", "--project", "lab"}) == 0);
    CHECK(desk.said("2025-10-20  2026-11-18 11:06  12    2     36    720      4"));
    desk.answer("GET /api/v1/retention?limit=30", no_items);
    CHECK(desk.run({"retention"}) == 0);
    CHECK(desk.said("No night is rolled up."));
}

TEST_CASE("What content was removed is listed by day", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/retention/content?kind=product&limit=30",
        R"({"items":[{"id":3,"day":"2026-11-30","kind":"product","reason":"unused","files":12,
"bytes":4096}],"next_cursor":null})");
    CHECK(desk.run({"retention", "content", "--kind", "product"}) == 0);
    CHECK(desk.said("2026-11-30  product  unused  12     4096"));
}
