// What people decide about findings: assign, mute, and only about what they have seen.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/store/findings/mutes.hpp"
#include "service/store/reports/reports.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string first = "/api/v1/regressions/1";
const std::string short_mute = R"({"reason":"the fix is in review","until_s":)";

/// A service with a regression that waits for its report, and somebody who decides.
struct Desk {
    Desk() : ada(service.client(service.token("ada", {Scope::read, Scope::triage}))) {
        seed_all(service);
        service.change([](Database& db) {
            return db.execute("UPDATE regression SET state = 'range', unreported = 1 WHERE id = 1");
        });
    }

    nlohmann::json get(const std::string& path) {
        const auto reply = ada.send("GET", path);
        CAPTURE(path, reply.body);
        REQUIRE(reply.status == 200);
        return wire::parse_json(reply.body, "the reply");
    }
    int post(
        const std::string& path, const std::string& body, const http::Headers& headers = {}) const {
        return ada.send("POST", path, body, headers).status;
    }
    std::string mute_until_s(std::int64_t s) const {
        return short_mute + std::to_string(SystemClock().now_s() + s) + "}";
    }
    std::size_t count_due() {
        return service.change([](Database& db) { return list_due_regressions(db, 9).size(); });
    }
    std::string event(const std::string& kind) {
        return service.change([&](Database& db) {
            return db.find<std::string>("SELECT subject FROM event WHERE kind = ?1", kind)
                .value_or("");
        });
    }

    Service service;
    http::Client ada;
};

}  // namespace

TEST_CASE("A regression is assigned to somebody, and found by that", "[service][http]") {
    Desk desk;
    CHECK(desk.get(first).at("assigned").is_null());
    CHECK(desk.post(first + "/assign", R"({"to":"grace","reason":"knows the sort"})") == 200);
    CHECK(desk.get(first).at("assigned") == "grace");
    CHECK(desk.get("/api/v1/regressions?assigned=grace").at("items").size() == 1);
    CHECK(desk.get("/api/v1/regressions?assigned=ada").at("items").empty());
    CHECK(desk.event("regression.assigned") == "regression/1");
    CHECK(desk.post(first + "/assign", R"({"to":""})") == 200);
    CHECK(desk.get(first).at("assigned").is_null());
    CHECK(desk.post("/api/v1/regressions/77/assign", R"({"to":"grace"})") == 404);
}

TEST_CASE("A muted regression is listed and not filed, until its time is over", "[service][http]") {
    Desk desk;
    REQUIRE(desk.count_due() == 1);
    CHECK(desk.post(first + "/mute", R"({"reason":"x"})") == 400);  // no end
    CHECK(
        desk.post(first + "/mute", R"({"until":"2100-01-01","reason":"x"})") ==
        400);                                                                   // no near one
    CHECK(desk.post(first + "/mute", R"({"until_s":5,"reason":"x"})") == 400);  // it has passed
    CHECK(desk.post(first + "/mute", R"({"until":"2100-01-01"})") == 400);      // no reason
    REQUIRE(desk.post(first + "/mute", desk.mute_until_s(1000)) == 201);
    CHECK(desk.count_due() == 0);
    CHECK(desk.get("/api/v1/regressions?muted=true").at("items").size() == 1);
    CHECK(desk.get(first).at("muted") == true);
    CHECK(desk.get(first).at("mutes") == nlohmann::json{1});
    CHECK(desk.get("/api/v1/mutes/1").at("owner") == "ada");
    const auto end_s = SystemClock().now_s() + 2000;
    desk.service.change([&](Database& db) { return end_due_mutes(db, end_s), 0; });
    CHECK(desk.event("mute.ended") == "regression/1");
    CHECK(desk.count_due() == 1);
    CHECK(desk.get(first).at("muted") == false);
    const auto ended = desk.get("/api/v1/mutes?state=ended").at("items");
    REQUIRE(ended.size() == 1);
    CHECK(ended[0].at("ended_why") == "its time is over");
}

TEST_CASE("A regression is muted when all its series are", "[service][http]") {
    Desk desk;
    const auto series = desk.get(first).at("series").at(0).at("series").dump();
    const auto mute = "/api/v1/series/" + series + "/mute";
    REQUIRE(desk.post(mute, desk.mute_until_s(1000)) == 201);
    CHECK(desk.get(first).at("muted") == true);
    CHECK(desk.count_due() == 0);
    REQUIRE(desk.post(mute, desk.mute_until_s(2000)) == 201);  // longer: the one before ends
    CHECK(desk.get("/api/v1/mutes?state=active").at("items").size() == 1);
    CHECK(desk.post("/api/v1/mutes/2/end", "{}") == 400);
    CHECK(desk.post("/api/v1/mutes/2/end", R"({"reason":"the fix is in"})") == 200);
    CHECK(desk.post("/api/v1/mutes/2/end", R"({"reason":"the fix is in"})") == 409);
    CHECK(desk.get("/api/v1/mutes/2").at("ended_why") == "ada: the fix is in");
    CHECK(desk.count_due() == 1);
}

TEST_CASE("A change is refused where the thing changed since it was read", "[service][http]") {
    Desk desk;
    const auto tag = desk.ada.send("GET", first).headers.at("etag");
    const std::string assign = R"({"to":"grace"})";
    CHECK(desk.post(first + "/assign", assign, {{"if-match", tag}}) == 200);
    CHECK(desk.post(first + "/assign", R"({"to":"ada"})", {{"if-match", tag}}) == 412);
    CHECK(desk.get(first).at("assigned") == "grace");
    CHECK(desk.post(first + "/assign", assign, {{"if-match", "*"}}) == 200);
    CHECK(desk.post("/api/v1/regressions/77/assign", assign, {{"if-match", tag}}) == 404);
    CHECK(desk.post("/api/v1/triggers", "{}", {{"if-match", tag}}) == 403);
    // A change that did not happen is not kept either.
    const http::Headers stale{{"if-match", tag}, {"idempotency-key", "k"}};
    CHECK(desk.post(first + "/assign", assign, stale) == 412);
    CHECK(desk.post(first + "/assign", assign, {{"idempotency-key", "k"}}) == 200);
}

TEST_CASE("A worker is quarantined and released by hand", "[service][http]") {
    Desk desk;
    const std::string worker = "/api/v1/workers/worker-one/";
    CHECK(desk.post(worker + "quarantine", "{}") == 400);
    CHECK(desk.post(worker + "quarantine", R"({"reason":"its fan"})") == 200);
    auto shown = desk.get("/api/v1/workers").at("items").at(0);
    CHECK(shown.at("state") == "quarantined");
    CHECK(shown.at("reason") == "ada: its fan");
    CHECK(desk.post(worker + "release", R"({"reason":"it turns again"})") == 200);
    shown = desk.get("/api/v1/workers").at("items").at(0);
    CHECK(shown.at("state") == "active");
    CHECK(desk.post("/api/v1/workers/nobody/quarantine", R"({"reason":"x"})") == 404);
}

TEST_CASE("Sending a report again needs the right to write, and a report", "[service][api]") {
    Service service;
    seed_all(service);
    service.change([](Database& db) { return db.execute("UPDATE outbox SET state = 'dead'"); });
    const auto path = "/api/v1/reports/1/retry";
    const auto reader = service.client(service.token("reader", Scope::read));
    CHECK(reader.send("POST", path).status == 403);
    const auto writer =
        service.client(service.token("writer", {Scope::read, Scope::trigger, Scope::triage}));
    const auto retry = [&] {
        return wire::parse_json(writer.send("POST", path).body, "the reply").at("targets");
    };
    CHECK(retry() == nlohmann::json{"f"});
    CHECK(retry().empty());
    CHECK(writer.send("POST", "/api/v1/reports/99/retry").status == 404);
}
