// What was sent from elsewhere: listed, and taken back.

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

namespace {

std::string import_with(const std::string& refused) {
    return R"({"id":7,"project":"lab","nightly":3,"night":"2026-11-22","version":"v1","revision":)"
           R"("aaaa","machine_class":"ci","job":9,"readings":2,"by":"ci","received_at_s":1,)"
           R"("removes":{"readings":2,"series_count":1,"series":[],"worker":"elsewhere-lab-ci",)"
           R"("machine_class":null},"refused":)" +
           refused + "}";
}

}  // namespace

TEST_CASE("What was sent is listed with its night and its token", "[service][cli]") {
    Desk desk;
    desk.answer(
        "GET /api/v1/imports?limit=30&project=lab",
        R"({"items":[)" + import_with("null") + R"(],"next_cursor":null})");
    CHECK(desk.run({"imports", "--project", "lab"}) == 0);
    CHECK(desk.said("READINGS"));
    CHECK(desk.said("2026-11-22"));
}

TEST_CASE("An undo says what would go, or why nothing can", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/imports/7", import_with("null"));
    CHECK(desk.run({"imports", "undo", "7", "--dry-run"}) == 0);
    CHECK(desk.said(
        "Undoing import 7 would remove: 2 readings, 1 series, the worker elsewhere-lab-ci."));
    Desk other;
    other.answer("GET /api/v1/imports/7", import_with(R"("regression 4 rests on it")"));
    CHECK(other.run({"imports", "undo", "7", "--dry-run"}) == 4);
    CHECK(other.said("Import 7 cannot be undone: regression 4 rests on it."));
}

TEST_CASE("An undo sends its reason and says what is gone", "[service][cli]") {
    Desk desk;
    desk.answer(
        "POST /api/v1/imports/7/undo",
        R"({"id":7,"nightly":3,"removed":{"readings":1,"series_count":0,"series":[],)"
        R"("worker":null,"machine_class":null}})");
    CHECK(desk.run({"imports", "undo", "7", "--reason", "of a branch"}) == 0);
    CHECK(desk.requests.back().body == R"({"reason":"of a branch"})");
    CHECK(desk.said("Import 7 is undone. Removed: 1 reading, 0 series."));
}
