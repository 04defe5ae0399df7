// What vigil watch tells, over a stream and without one.

#include <catch2/catch.hpp>

#include "tests/integration/service/cli/desk.hpp"

using namespace vigil;
using namespace vigil::cli::testing;

namespace {

std::string event(int id, const std::string& kind) {
    return R"({"id":)" + std::to_string(id) + R"(,"at_s":1795212005,"kind":")" + kind +
           R"(","project":"lab","subject":"nightly/3","message":"words"})";
}

std::string sent(int id, const std::string& kind) {
    return "id: " + std::to_string(id) + "\ndata: " + event(id, kind) + "\n\n";
}

const std::string newest = R"({"items":[{"id":7}],"next_cursor":null})";

}  // namespace

TEST_CASE("A night is followed until it is done, over lost connections", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/events?limit=1", newest);
    desk.answer("GET /api/v1/events?limit=1&project=lab", newest);
    const std::string stream = "GET /api/v1/events/stream?project=lab";
    desk.answer(stream, "retry: 3000\n\n" + sent(8, "nightly.new") + sent(9, "job.leased"));
    desk.answer(stream, sent(9, "job.leased") + sent(10, "nightly.done") + sent(11, "night.late"));
    CHECK(desk.run({"watch", "lab", "--until-done"}) == 0);
    CHECK(desk.said("lab  nightly.new  nightly/3  words\n"));
    CHECK(desk.said("nightly.done"));
    CHECK_FALSE(desk.said("job.leased"));
    CHECK_FALSE(desk.said("night.late"));
    CHECK(desk.err.str().empty());
    CHECK(desk.requests.at(2).headers.at("last-event-id") == "7");
    CHECK(desk.requests.at(3).headers.at("last-event-id") == "9");
}

TEST_CASE("Where no events are sent they are asked for", "[service][cli]") {
    Desk desk;
    desk.answer("GET /api/v1/events?limit=1", newest);
    desk.answer("GET /api/v1/events/stream", R"({"status":503,"detail":"as many listen"})", 503);
    desk.answer(
        "GET /api/v1/events?after=5&limit=500",
        R"({"items":[)" + event(7, "nightly.failed") + "," + event(6, "job.done") +
            R"(],"next_cursor":null})");
    CHECK(desk.run({"watch", "--since", "5", "--until-done", "--all", "--json"}) == 1);
    CHECK(desk.said(R"("id":6,"kind":"job.done")"));
    CHECK(desk.said(R"("id":7,"kind":"nightly.failed")"));
}
