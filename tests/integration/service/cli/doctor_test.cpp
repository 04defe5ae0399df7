#include <catch2/catch.hpp>

#include "service/cli/run.hpp"
#include "tests/integration/service/cli/desk.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

namespace {

std::string reply_with(const std::string& findings, const std::string& healthy) {
    return R"({"healthy":)" + healthy + R"(,"checked_at_s":1795229100,"findings":[)" + findings +
           R"(],"tables":70,"tables_checked":69,"content_parts":256,"content_parts_checked":256})";
}

const std::string note =
    R"({"kind":"series.silent","subject":"project/json","badness":"note","message":"2 series",
"remedy":"look","since_s":null})";
const std::string failing =
    R"({"kind":"outbox.dead","subject":"target/desk","badness":"failing",
"message":"2 messages\u001b[2J","remedy":"vigil outbox retry 31","since_s":1795228800})";

}  // namespace

TEST_CASE("The doctor's exit code says whether somebody has to act", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/doctor", reply_with("", "true"));
    desk.answer("GET /api/v1/doctor", reply_with(note, "true"));
    desk.answer("GET /api/v1/doctor", reply_with(failing + "," + note, "false"));
    CHECK(desk.run({"doctor"}) == 0);
    CHECK_THAT(
        desk.out.str(),
        Catch::Contains(
            "Healthy: 0 failing, 0 will fail, 0 notes. Checked: 69 of 70 tables, 256 of 256 "));
    CHECK(desk.run({"doctor"}) == 0);
    CHECK_THAT(desk.out.str(), Catch::Contains("note: series.silent of project/json\n  2 series"));
    CHECK(desk.run({"doctor"}) == 1);
    CHECK_THAT(
        desk.out.str(),
        Catch::Contains("failing: outbox.dead of target/desk, since 2026-11-21 02:40 UTC") &&
            Catch::Contains("\n  What to do: vigil outbox retry 31\n") &&
            Catch::Contains("\n1 failing, 0 will fail, 1 note. "));
    CHECK(desk.out.str().find('\x1b') == std::string::npos);
    desk.out.str("");
    CHECK(desk.run({"doctor", "--json"}) == 1);
    CHECK_THAT(desk.out.str(), Catch::StartsWith("{") && Catch::Contains("outbox.dead"));
}
