// What is packed, how often one may ask, and the badge.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/http/gzip.hpp"
#include "service/store/events.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

TEST_CASE("A body may come packed, and is bounded by what it unpacks to", "[service][http]") {
    Service service;
    const auto writer = service.client(service.token("writer", Scope::trigger));
    const http::Headers packed{{"content-encoding", "gzip"}};
    const std::string path = "/api/v1/triggers";
    const std::string wish = R"({"project":"demo"})";
    CHECK(writer.send("POST", path, http::gzip(wish), packed).status == 202);
    CHECK(writer.send("POST", path, wish, {{"content-encoding", "identity"}}).status == 202);
    CHECK(writer.send("POST", path, wish, packed).status == 400);
    CHECK(writer.send("POST", path, wish, {{"content-encoding", "br"}}).status == 415);
    const auto bomb = http::gzip(std::string(3'000'000, ' ') + wish);
    CHECK(bomb.size() < 64 * 1024);
    CHECK(writer.send("POST", path, bomb, packed).status == 413);
    CHECK(writer.send("POST", "/hooks/github", http::gzip(wish), packed).status == 404);
}

TEST_CASE("A long reply goes packed to who takes it, with a tag of its own", "[service][http]") {
    Service service;
    service.change([](Database& db) {
        for (int i = 0; i < 20; ++i) {
            record_event(db, i, "night.late", std::nullopt, "night/1", "it is late");
        }
        return 0;
    });
    const auto client = service.client();
    const std::string path = "/api/v1/events";
    const auto plain = client.send("GET", path);
    const http::Headers takes{{"accept-encoding", "gzip"}};
    const auto packed = client.send("GET", path, "", takes);
    REQUIRE(packed.headers.at("content-encoding") == "gzip");
    CHECK(packed.headers.at("vary") == "accept, accept-encoding");
    CHECK(http::gunzip(packed.body, 1'000'000) == plain.body);
    CHECK(packed.headers.at("etag") != plain.headers.at("etag"));
    for (const auto& one : {plain, packed}) {
        auto known = takes;
        known["if-none-match"] = one.headers.at("etag");
        const auto same = client.send("GET", path, "", known);
        CHECK(same.status == 304);
        CHECK(same.headers.at("etag") == one.headers.at("etag"));
    }
    CHECK_FALSE(client.send("GET", "/healthz", "", takes).headers.contains("content-encoding"));
}

TEST_CASE("Who asks too often from elsewhere waits", "[service][http]") {
    Service service([](Config& config) { config.http.max_requests_a_minute = 2; });
    const auto reader = service.client(service.token("reader", Scope::read));
    const auto ask = [&](const http::Headers& headers) {
        return reader.send("GET", "/api/v1/projects", "", headers);
    };
    const http::Headers proxied{{"via", "1.1 proxy"}};
    const auto first = ask(proxied);
    CHECK(first.headers.at("ratelimit-limit") == "2");
    CHECK(first.headers.at("ratelimit-remaining") == "1");
    CHECK(ask(proxied).status == 200);
    const auto refused = ask(proxied);
    CHECK(refused.status == 429);
    CHECK(std::stoi(refused.headers.at("retry-after")) > 0);
    CHECK(refused.headers.at("ratelimit-remaining") == "0");
    // On this machine, and through no proxy, nobody is counted; nor is a worker.
    const auto here = ask({});
    CHECK(here.status == 200);
    CHECK_FALSE(here.headers.contains("ratelimit-limit"));
    const auto worker = service.client(service.token("worker-one", {Scope::read, Scope::worker}));
    for (int i = 0; i < 3; ++i) {
        CHECK(worker.send("GET", "/api/v1/projects", "", proxied).status == 200);
    }
}

TEST_CASE("A badge is for everybody only where the config says so", "[service][http]") {
    const auto path = "/api/v1/projects/demo/badge.svg";
    Service closed([](Config& config) { config.http.open_reads = OpenReads::never; });
    CHECK(closed.client().send("GET", path).status == 401);
    CHECK(closed.client().send("GET", "/api/v1/projects/none/badge.svg").status == 401);
    const auto reader = closed.client(closed.token("reader", Scope::read));
    CHECK(reader.send("GET", "/api/v1/projects/none/badge.svg").status == 404);
    CHECK(reader.send("GET", path).body.find("no data") != std::string::npos);
    Service open([](Config& config) {
        config.http.open_reads = OpenReads::never;
        config.projects.at("demo").badge = true;
    });
    seed_all(open);
    const auto badge = open.client().send("GET", path);
    REQUIRE(badge.status == 200);
    CHECK(badge.headers.at("content-type") == "image/svg+xml");
    CHECK(badge.body.find("1 open") != std::string::npos);
    const http::Headers known{{"if-none-match", badge.headers.at("etag")}};
    CHECK(open.client().send("GET", path, "", known).status == 304);
    CHECK(open.client().send("GET", "/api/v1/projects").status == 401);
}

TEST_CASE("A badge says all clear only of a night that its summary calls so", "[service][http]") {
    Service service([](Config& config) { config.projects.at("demo").badge = true; });
    seed_all(service);
    const auto said_after = [&](const char* change) {
        service.change([&](Database& db) {
            db.execute_script(change);
            return 0;
        });
        const auto body = service.client().send("GET", "/api/v1/projects/demo/badge.svg").body;
        const auto from = body.find("demo: ") + 6;
        return body.substr(from, body.find('"', from) - from);
    };
    CHECK(said_after("UPDATE regression SET state = 'accepted'") == "nothing measured");
    CHECK(
        said_after("UPDATE job SET nightly_id = 2, purpose = 'nightly', probe_id = NULL "
                   "WHERE id = 1;"
                   "UPDATE run SET build_id = (SELECT build_id FROM nightly WHERE id = 2);") ==
        "all clear");
    CHECK(
        said_after("INSERT INTO withdrawal (nightly_id, worker_id, reason, token, cut_off, "
                   "created_at_s) VALUES (2, 1, 'hot', 'ada', 0, 500)") == "1 missing");
    CHECK(said_after("UPDATE withdrawal SET worker_id = NULL") == "withdrawn");
    CHECK(said_after("UPDATE nightly SET beside = 'an old commit'") == "no data");
}
