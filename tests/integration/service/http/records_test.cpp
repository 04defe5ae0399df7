// What came from outside, what goes there, and the nights of a series.

#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

TEST_CASE("One message that was given up is sent again, once", "[service][api]") {
    Service service;
    seed_all(service);
    const auto writer = service.client(service.token("writer", Scope::admin));
    const auto path = "/api/v1/outbox/1/retry";
    CHECK(writer.send("POST", path).status == 409);
    service.change([](Database& db) { return db.execute("UPDATE outbox SET state = 'dead'"); });
    const auto dead = json_of(writer.send("GET", "/api/v1/outbox?state=dead&target=f"));
    CHECK(dead.at("items").at(0).at("next_attempt_at_s").is_null());
    CHECK(dead.at("items").at(0).at("given_up") == true);
    CHECK(json_of(writer.send("POST", path)).at("state") == "pending");
    CHECK(writer.send("POST", path).status == 409);
    CHECK(writer.send("POST", "/api/v1/outbox/99/retry").status == 404);
    CHECK(writer.send("GET", "/api/v1/outbox?target=g").status == 400);
}

TEST_CASE("What a newer version replaced is not told as given up", "[service][api]") {
    Service service;
    seed_all(service);
    const auto reader = service.client();
    const auto given_up = [&](const char* is) {
        return json_of(reader.send("GET", std::string("/api/v1/outbox?given_up=") + is))
            .at("items");
    };
    CHECK(given_up("true").empty());
    service.change([](Database& db) {
        return db.execute("UPDATE outbox SET state = 'dead', message = 'no' WHERE id = 1");
    });
    REQUIRE(given_up("true").size() == 1);
    CHECK(given_up("true").at(0).at("id") == 1);
    service.change([](Database& db) {
        db.execute(
            "INSERT INTO report (kind, project_id, regression_id, nightly_id, version, title, "
            "body, created_at_s) SELECT kind, project_id, regression_id, nightly_id, 99, title, "
            "body, created_at_s FROM report WHERE id = (SELECT report_id FROM outbox WHERE id = "
            "1)");
        return db.execute(
            "INSERT INTO outbox (report_id, target, state, next_attempt_at_s) SELECT (SELECT id "
            "FROM report WHERE version = 99), target, 'sent', 0 FROM outbox WHERE id = 1");
    });
    CHECK(given_up("true").empty());
    const auto replaced = given_up("false");
    CHECK(std::ranges::any_of(replaced, [](const auto& one) { return one.at("id") == 1; }));
    CHECK(reader.send("GET", "/api/v1/outbox?given_up=1").status == 400);
}

TEST_CASE("One notice that was given up is sent again, once", "[service][api]") {
    Service service;
    seed_all(service);
    const auto writer = service.client(service.token("writer", Scope::admin));
    const auto path = "/api/v1/notices/1/retry";
    CHECK(writer.send("POST", path).status == 409);
    CHECK(service.client(service.token("sender", Scope::trigger)).send("POST", path).status == 403);
    service.change(
        [](Database& db) { return db.execute("UPDATE notice SET state = 'dead', given_up = 1"); });
    const auto dead = json_of(writer.send("GET", "/api/v1/notices?state=dead&target=f&number=7"));
    CHECK(dead.at("items").at(0).at("given_up") == true);
    CHECK(dead.at("items").at(0).at("next_attempt_at_s").is_null());
    const auto given_up = [&] {
        return json_of(writer.send("GET", "/api/v1/notices?given_up=true&state=dead"))
            .at("items")
            .size();
    };
    CHECK(given_up() == 1);
    service.change([](Database& db) { return db.execute("UPDATE notice SET given_up = 0"); });
    CHECK(given_up() == 0);  // nobody waits for it
    service.change([](Database& db) { return db.execute("UPDATE notice SET given_up = 1"); });
    CHECK_FALSE(dead.at("items").at(0).contains("body"));
    CHECK(json_of(writer.send("GET", "/api/v1/notices/1")).at("body") == "measured");
    CHECK(json_of(writer.send("POST", path)).at("state") == "pending");
    CHECK(given_up() == 0);
    CHECK(writer.send("POST", path).status == 409);
    CHECK(writer.send("POST", "/api/v1/notices/99/retry").status == 404);
    CHECK(writer.send("GET", "/api/v1/notices?target=g").status == 400);
    CHECK(writer.send("GET", "/api/v1/notices?state=given_up").status == 400);
    CHECK(json_of(writer.send("GET", "/api/v1/notices?number=8")).at("items").empty());
}

TEST_CASE("Pull requests are listed, and paged", "[service][api]") {
    Service service;
    seed_all(service);
    service.change([](Database& db) {
        return db.execute(
            "INSERT INTO pull (project_id, target, number, head, base, is_fork, asked_by, state, "
            "seen_at_s, created_at_s) SELECT project_id, target, 8, head, base, 1, asked_by, "
            "'held', 95, 95 FROM pull");
    });
    const auto reader = service.client();
    const auto first = json_of(reader.send("GET", "/api/v1/pulls?limit=1"));
    CHECK(first.at("items").at(0).at("number") == 8);
    CHECK(first.at("items").at(0).at("is_fork") == true);
    const auto cursor = first.at("next_cursor").get<std::string>();
    const auto second = json_of(reader.send("GET", "/api/v1/pulls?limit=1&cursor=" + cursor));
    CHECK(second.at("items").at(0).at("number") == 7);
    CHECK(second.at("next_cursor").is_null());
    const auto held = json_of(reader.send("GET", "/api/v1/pulls?state=held&project=demo"));
    CHECK(held.at("items").size() == 1);
    CHECK(json_of(reader.send("GET", "/api/v1/pulls?number=7")).at("items").size() == 1);
    CHECK(reader.send("GET", "/api/v1/pulls?state=open").status == 400);
}

TEST_CASE("What a webhook brought is listed without its body", "[service][api]") {
    Service service;
    seed_all(service);
    const auto one = service.client().send("GET", "/api/v1/deliveries/1");
    CHECK(json_of(one).at("kept_bytes") == 6);
    CHECK(one.body.find("secret") == std::string::npos);
    CHECK(service.client().send("GET", "/api/v1/deliveries?state=lost").status == 400);
}

TEST_CASE("The nights of a series have names, and their own values alone", "[service][api]") {
    Service service;
    seed_all(service);
    service.change([](Database& db) {
        db.execute(
            "UPDATE nightly SET build_id = (SELECT build_id FROM run WHERE id = 1) "
            "WHERE id = 1");
        return db.execute("UPDATE job SET purpose = 'nightly', nightly_id = 1 WHERE id = 1");
    });
    const auto client = service.client();
    const auto page = json_of(client.send("GET", "/api/v1/series/1/nights?limit=1"));
    CHECK(page.at("items").at(0).at("id") == 2);
    const auto next = page.at("next_cursor").get<std::string>();
    const auto first =
        json_of(client.send("GET", "/api/v1/series/1/nights?limit=1&cursor=" + next));
    const auto& night = first.at("items").at(0);
    CHECK(night.at("id") == 1);
    CHECK(night.at("purpose") == "nightly");
    REQUIRE(night.at("runs").size() == 1);
    CHECK(night.at("value") == night.at("runs").at(0).at("value"));
    const auto confirmed = json_of(client.send("GET", "/api/v1/series/1/nights?purpose=probe"));
    CHECK(confirmed.at("items").at(1).at("value").is_null());
    CHECK(client.send("GET", "/api/v1/series/99/nights").status == 404);
    CHECK(client.send("GET", "/api/v1/series/1/nights?id=2").status == 400);
}
