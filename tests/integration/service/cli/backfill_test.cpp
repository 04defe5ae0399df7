#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"

using namespace vigil::cli::testing;

namespace {

const std::string asked =
    R"({"project":"lab","nights":30,"runs_budget":500,"night_runs":60,"most_nights":8,
"backfill":4})";

std::string backfill(const std::string& state, const std::string& more) {
    return R"({"id":4,"project":"lab","state":")" + state + R"(",)" + more +
           R"(,"night_runs":60,"created_at_s":1795228800})";
}

const std::string half_way = backfill(
    "measuring",
    R"("message":"8 nights","waiting":3,"measuring":1,"measured":3,"failed":1,"skipped":2,"remaining_s":7200)");

const std::string ended = backfill(
    "done",
    R"("message":"7 nights were measured, 1 could not be, 2 steps were found in them","nightlies":[
{"id":996,"name":"2026-11-12","revision":"0369cf258be147ad","state":"failed",
"message":"no compiler\u001b[2J"},
{"id":997,"name":"2026-11-13","revision":"1369cf258be147ad","state":"done","message":""}],
"skipped_archives":[{"version":"night-3","day":"2026-11-11","message":"gone\u001b[2J"}],
"found":[{"kind":"past","change_ratio":0.153,"since_name":"2026-11-14",
"good_revision":"aaaa55558be147ad","bad_revision":"bbbb66668be147ad","benchmark":"mlp",
"variant":"train","machine_class":"xeon","metric":"cpu_time_ns"},
{"kind":"unsure","change_ratio":0.08,"since_name":"2026-11-19","good_revision":null,
"bad_revision":"cccc77778be147ad","benchmark":"mlp","variant":"infer","machine_class":"xeon",
"metric":"cpu_time_ns"}])");

}  // namespace

TEST_CASE("A backfill is asked for, and followed to its steps", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/projects/lab/backfills", asked, 202);
    desk.answer("GET /api/v1/backfills/4", backfill("listing", R"("message":"")"));
    desk.answer("GET /api/v1/backfills/4", half_way);
    desk.answer("GET /api/v1/backfills/4", half_way);
    desk.answer("GET /api/v1/backfills/4", ended);
    CHECK(desk.run({"backfill", "lab", "--nights", "30", "--runs-budget", "500", "--wait"}) == 0);
    CHECK(desk.requests.at(0).body == R"({"nights":30,"runs_budget":500})");
    CHECK(desk.said(
        "listing: listing the nights\n"
        "measuring: 3 of 8 nights measured, 1 could not be, 2 skipped, about 2 h 00 min left\n"
        "backfill 4 of lab: done, 7 nights were measured"));
    CHECK(desk.said("not measured: 2026-11-12 (0369cf258b): no compiler[2J"));
    CHECK(desk.said("skipped: night-3: gone[2J"));
    CHECK(desk.said("+15.3 %"));
    CHECK(desk.said("aaaa55558b  bbbb66668b  yes"));
    CHECK(desk.said("mlp (infer) on xeon, cpu_time_ns"));
    CHECK(desk.out.str().find('\x1b') == std::string::npos);
}

TEST_CASE("A dry run of a backfill asks for nothing", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/projects/lab/backfills", asked);
    CHECK(desk.run({"backfill", "lab", "--dry-run"}) == 0);
    CHECK(desk.requests.at(0).body == R"({"dry_run":true,"nights":30})");
    CHECK(desk.out.str() == "It would measure at most 8 nights of 60 runs each.\n");
}

TEST_CASE("Backfills are listed, shown and cancelled", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/backfills?limit=30", R"({"items":[)" + half_way + "]}");
    CHECK(desk.run({"backfills"}) == 0);
    CHECK(desk.said("3 of 8 nights measured"));
    desk.answer("GET /api/v1/backfills/4", half_way);
    CHECK(desk.run({"backfill", "show", "4"}) == 0);
    CHECK(desk.said("backfill 4 of lab: measuring, 3 of 8 nights measured"));
    desk.answer(
        "POST /api/v1/backfills/4/cancel", R"({"id":4,"state":"measuring","cancelled_by":"ada"})");
    CHECK(desk.run({"backfill", "cancel", "4"}) == 0);
    CHECK(desk.said("Backfill 4 ends; the measured nights become history."));
}

TEST_CASE("A backfill that was cancelled ends the wait with 1", "[service][cli]") {
    Desk desk;
    desk.answer("POST /api/v1/projects/lab/backfills", asked, 202);
    desk.answer("GET /api/v1/backfills/4", backfill("cancelled", R"("message":"cancelled by a")"));
    CHECK(desk.run({"backfill", "lab", "--wait", "--json"}) == 1);
    CHECK(desk.said(R"("state": "cancelled")"));
}
