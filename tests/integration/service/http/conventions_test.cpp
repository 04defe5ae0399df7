// What every route does alike: names of requests, tags of replies, changes that are made once.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "schema/wire/value_error.hpp"
#include "service/store/work/kept_replies.hpp"
#include "tests/integration/service/http/fixture.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string triggers = "/api/v1/triggers";
const std::string wish = R"({"project":"demo"})";

std::int64_t count_triggers(Service& service) {
    return service.change([](Database& db) {
        return db.find<std::int64_t>("SELECT count(*) FROM trigger_request").value();
    });
}

}  // namespace

TEST_CASE("A change with a key is made once, and answered again", "[service][http]") {
    Service service;
    const auto writer =
        service.client(service.token("writer", {Scope::read, Scope::trigger, Scope::triage}));
    const http::Headers key{{"idempotency-key", "k1"}};
    const auto first = writer.send("POST", triggers, wish, key);
    REQUIRE(first.status == 202);
    const auto again = writer.send("POST", triggers, wish, key);
    CHECK(again.status == 202);
    CHECK(again.body == first.body);
    CHECK(again.headers.at("idempotency-replayed") == "true");
    CHECK(count_triggers(service) == 1);
    const auto other = writer.send("POST", triggers, R"({"project":"demo","version":"v2"})", key);
    CHECK(other.status == 422);
    CHECK(count_triggers(service) == 1);
    // Another caller's key is another key, and so is one of another route.
    const auto second =
        service.client(service.token("second", {Scope::read, Scope::trigger, Scope::triage}));
    CHECK(second.send("POST", triggers, wish, key).status == 202);
    CHECK(count_triggers(service) == 2);
    CHECK(writer.send("POST", "/api/v1/jobs/7/cancel", "", key).status == 404);
    // What was refused may be tried again.
    const http::Headers third{{"idempotency-key", "k2"}};
    CHECK(writer.send("POST", triggers, R"({"project":"none"})", third).status == 404);
    CHECK(writer.send("POST", triggers, wish, third).status == 202);
    CHECK(
        writer.send("POST", triggers, wish, {{"idempotency-key", std::string(101, 'k')}}).status ==
        400);
    service.change([](Database& db) { return forget_replies(db, std::int64_t{1} << 40), 0; });
    CHECK_FALSE(writer.send("POST", triggers, wish, key).headers.contains("idempotency-replayed"));
}

TEST_CASE("The next token of a name gets no reply of the one before", "[service][http]") {
    Service service;
    const auto admin = service.client(service.token("admin", Scope::admin));
    const http::Headers key{{"idempotency-key", "k1"}};
    for (const int times : {1, 2}) {
        const auto ada = service.client(service.token("ada", Scope::trigger));
        const auto reply = ada.send("POST", triggers, wish, key);
        CHECK(reply.status == 202);
        CHECK_FALSE(reply.headers.contains("idempotency-replayed"));
        CHECK(count_triggers(service) == times);
        REQUIRE(admin.send("DELETE", "/api/v1/tokens/ada").status == 204);
    }
}

TEST_CASE("A secret is not kept with the reply that showed it", "[service][http]") {
    Service service;
    const auto admin = service.client(service.token("admin", Scope::admin));
    const http::Headers key{{"idempotency-key", "k1"}};
    const std::string body = R"({"name":"new","scope":"read"})";
    const auto made = admin.send("POST", "/api/v1/tokens", body, key);
    REQUIRE(made.status == 201);
    CHECK(admin.send("POST", "/api/v1/tokens", body, key).status == 409);
    const auto kept = service.change(
        [](Database& db) { return db.find<std::string>("SELECT body FROM idempotency").value(); });
    CHECK(kept.empty());
}

TEST_CASE("A reply that did not change is not sent again", "[service][http]") {
    Service service;
    const auto writer =
        service.client(service.token("writer", {Scope::read, Scope::trigger, Scope::triage}));
    const auto first = writer.send("GET", "/api/v1/events");
    const auto tag = first.headers.at("etag");
    const http::Headers known{{"if-none-match", tag}};
    const auto same = writer.send("GET", "/api/v1/events", "", known);
    CHECK(same.status == 304);
    CHECK(same.body.empty());
    CHECK(writer.send("HEAD", "/api/v1/events", "", known).status == 304);
    CHECK(writer.send("POST", triggers, wish).status == 202);
    const auto changed = writer.send("GET", "/api/v1/triggers/1", "", known);
    CHECK(changed.status == 200);
    CHECK(changed.headers.at("etag") != tag);
}

TEST_CASE("Every reply names its request, a problem in its body too", "[service][http]") {
    Service service;
    const auto reader = service.client(service.token("reader", Scope::read));
    const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const auto found = reader.send(
        "GET", "/api/v1/projects", "", {{"x-request-id", "mine-1"}, {"traceparent", trace}});
    CHECK(found.headers.at("x-request-id") == "mine-1");
    CHECK(found.headers.at("traceparent") == trace);
    const auto missing = reader.send("GET", "/api/v1/jobs/77");
    const auto problem = wire::parse_json(missing.body, "the problem");
    CHECK(problem.at("request_id") == missing.headers.at("x-request-id"));
    CHECK_FALSE(missing.headers.contains("traceparent"));
}

TEST_CASE(
    "A problem says where its words stand, and where in the body it lies", "[service][http]") {
    Service service;
    const auto writer = service.client(service.token("writer", Scope::admin));
    const auto missing = wire::parse_json(writer.send("GET", "/api/v1/jobs/77").body, "problem");
    CHECK(missing.at("type") == "/api/v1/docs#problem-not-found");
    CHECK_FALSE(missing.contains("errors"));
    const auto wrong = writer.send("POST", triggers, R"({"project":5})");
    CHECK(wrong.status == 400);
    const auto problem = wire::parse_json(wrong.body, "problem");
    CHECK(problem.at("errors").at(0).at("pointer") == "/project");
    CHECK(problem.at("errors").at(0).at("detail") == problem.at("detail"));
    CHECK(wire::pointer_of("body.steps[3].a/b~c") == "/steps/3/a~1b~0c");
    CHECK(wire::pointer_of("body").empty());
}

TEST_CASE("The interface describes itself to whoever asks", "[service][http]") {
    Service service([](Config& config) { config.http.open_reads = OpenReads::never; });
    const auto guest = service.client();
    const auto page = guest.send("GET", "/api/v1/docs");
    CHECK(page.status == 200);
    CHECK(page.headers.at("content-security-policy").starts_with("default-src 'none'"));
    for (const auto* forbidden : {"<script", " src=", "href=\"http", " onclick"}) {
        CHECK(page.body.find(forbidden) == page.body.npos);
    }
    // Every problem that is sent leads somewhere.
    for (const int status :
         {400,
          401,
          403,
          404,
          405,
          409,
          412,
          413,
          414,
          415,
          417,
          422,
          429,
          431,
          500,
          501,
          503,
          505,
          507}) {
        const auto type = http::problem_type(status);
        CHECK(page.body.find("id=\"" + type.substr(type.find('#') + 1) + "\"") != page.body.npos);
    }
    const auto yaml = guest.send("GET", "/api/v1/openapi.yaml");
    CHECK(yaml.body.starts_with("openapi: 3.1.0\n"));
    const auto json = guest.send("GET", "/api/v1/openapi.json");
    const auto document = wire::parse_json(json.body, "the document");
    CHECK(document.at("paths").contains("/api/v1/events/stream"));
    const http::Headers known{{"if-none-match", json.headers.at("etag")}};
    CHECK(guest.send("GET", "/api/v1/openapi.json", "", known).status == 304);
}

TEST_CASE("A path says what it takes", "[service][http]") {
    Service service;
    const auto reader = service.client(service.token("reader", Scope::read));
    const auto options = reader.send("OPTIONS", "/api/v1/regressions/1/state");
    CHECK(options.status == 204);
    CHECK(options.headers.at("allow") == "POST, OPTIONS");
    CHECK(reader.send("PATCH", "/api/v1/projects").headers.at("allow") == "GET, HEAD, OPTIONS");
    CHECK(reader.send("OPTIONS", "/api/v1/nothing").status == 404);
}
