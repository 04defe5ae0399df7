// Regressions that people tell of, over HTTP.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "tests/integration/service/http/asked.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string missed = "/api/v1/series/1/missed";

struct Desk {
    Desk()
        : service(measure_small),
          ada(service.client(service.token("ada", {Scope::read, Scope::triage}))) {
        seed_all(service);
        service.change([](Database& db) {
            add_later_night(db);
            return 0;
        });
    }

    http::Response post(const std::string& body) { return ada.send("POST", missed, body); }
    std::string why_not(int status, const std::string& body) {
        const auto reply = post(body);
        CAPTURE(reply.body);
        CHECK(reply.status == status);
        return wire::parse_json(reply.body, "the reply").value("detail", "");
    }

    Service service;
    http::Client ada;
};

}  // namespace

TEST_CASE("A missed regression is told, listed and taken back", "[service][http]") {
    Desk desk;
    const auto reply = desk.post(R"({"since":"2024-01-03","reason":"the users say so"})");
    CAPTURE(reply.body);
    REQUIRE(reply.status == 202);
    CHECK(reply.headers.at("location") == "/api/v1/missed/1");
    const auto told = wire::parse_json(reply.body, "the reply");
    CHECK(told.at("state") == "measuring");
    CHECK(told.at("night") == "2024-01-03");
    CHECK(told.at("good_nightly") == 2);
    CHECK(told.at("commit").is_null());
    CHECK(told.at("by") == "ada");
    const auto request = json_of(desk.ada.send("GET", "/api/v1/requests/1"));
    CHECK(request.at("kind") == "comparison");
    CHECK(request.at("asked").at("metric") == "cpu_time_ns");
    CHECK(json_of(desk.ada.send("GET", "/api/v1/precision")).at("recall").at("measuring") == 1);
    CHECK(json_of(desk.ada.send("GET", "/api/v1/missed?series=1")).at("items").size() == 1);
    CHECK(
        desk.why_not(409, R"({"since":"2024-01-03"})") ==
        "it was told before (missed 1, measuring); to tell it anew, take that back first");
    CHECK(json_of(desk.ada.send("DELETE", "/api/v1/missed/1")).at("state") == "taken_back");
    CHECK(json_of(desk.ada.send("GET", "/api/v1/requests/1")).at("state") == "cancelled");
    CHECK(json_of(desk.ada.send("GET", "/api/v1/precision")).at("recall").at("missed") == 0);
    CHECK(desk.ada.send("DELETE", "/api/v1/missed/1").status == 409);
    CHECK(
        json_of(desk.ada.send("GET", "/api/v1/events?kind=missed.taken_back")).at("items").size() ==
        1);
    const auto admin = desk.service.client(desk.service.token("root", Scope::admin));
    CHECK(json_of(admin.send("GET", "/api/v1/audit?who=ada")).at("items").size() == 2);
}

TEST_CASE("What cannot be told as missed says why", "[service][http]") {
    Desk desk;
    CHECK_THAT(desk.why_not(409, R"({"since":"2"})"), Catch::Contains("regression 1 (reported)"));
    CHECK_THAT(desk.why_not(409, R"({"since":"1"})"), Catch::Contains("has no value that counts"));
    CHECK_THAT(
        desk.why_not(400, R"({"since":"2024-01-09"})"),
        Catch::Contains("project demo has no nightly \"2024-01-09\""));
    CHECK_THAT(
        desk.why_not(400, R"({"since":"2024-01-02.9","commit":"x"})"),
        Catch::Contains("no nightly"));
    CHECK_THAT(
        desk.why_not(400, R"({"since":"2024-01-03","commit":"ffff"})"),
        Catch::Contains("no commits between nightly 2 and nightly 3 begin with ffff"));
    CHECK(
        desk.why_not(400, R"({"since":"3","commit":"; drop"})") ==
        "a commit is named by 4 to 64 lower-case hex digits");
    CHECK(desk.post("{}").status == 400);
    desk.service.change([](Database& db) {
        return db.execute("UPDATE nightly SET state = 'confirming' WHERE id = 3");
    });
    CHECK_THAT(desk.why_not(409, R"({"since":"3"})"), Catch::Contains("is not known yet"));
    desk.service.change([](Database& db) {
        db.execute("UPDATE nightly SET state = 'done' WHERE id = 3");
        return db.execute("UPDATE series SET variant = 'infer'");
    });
    CHECK_THAT(desk.why_not(409, R"({"since":"3"})"), Catch::Contains("is not measured here"));
    const auto reader = desk.service.client(desk.service.token("eve", Scope::read));
    CHECK(reader.send("POST", missed, R"({"since":"3"})").status == 403);
}
