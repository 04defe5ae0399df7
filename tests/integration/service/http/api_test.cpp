// What lists and summaries say, and the writes of people and of GitHub.

#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

std::string signed_with(const std::string& secret, const std::string& body) {
    return "sha256=" + wire::hmac_sha256_hex(secret, body);
}

}  // namespace

TEST_CASE("A summary speaks of what is open, and of what is missing", "[service][api]") {
    Service service;
    seed_all(service);
    service.change([](Database& db) {
        return db.execute("UPDATE regression SET state = 'accepted' WHERE nightly_id = 2");
    });
    const std::string path = "/api/v1/nights/2/summary";
    auto summary = json_of(service.client().send("GET", path));
    CHECK(summary.at("regressions").size() == 1);
    CHECK(summary.at("open").empty());
    service.change([](Database& db) {
        return db.execute("UPDATE regression SET state = 'acknowledged', nightly_id = 1");
    });
    summary = json_of(service.client().send("GET", path));
    CHECK(summary.at("regressions").empty());  // of an earlier night, and open all the same
    REQUIRE(summary.at("open").size() == 1);
    CHECK(summary.at("open").at(0).at("new") == false);
    CHECK(summary.at("all_clear") == false);
}

TEST_CASE("A worker that is silent for too long is not seen", "[service][api]") {
    Service service;
    seed_all(service);
    const auto first = [&] {
        return json_of(service.client().send("GET", "/api/v1/workers")).at("items").at(0);
    };
    service.change([](Database& db) { return db.execute("UPDATE worker SET last_seen_at_s = 5"); });
    CHECK(first().at("unseen_s") > 1'000'000);
    service.change(
        [](Database& db) { return db.execute("UPDATE worker SET last_seen_at_s = 9000000000"); });
    CHECK(first().at("unseen_s").is_null());
}

TEST_CASE("Lists come in pages that neither repeat nor lose an item", "[service][api]") {
    Service service;
    service.change([](Database& db) {
        for (const char digit : {'1', '2', '3', '4', '5'}) add_small_job(db, digit);
        return 0;
    });
    std::vector<int> ids;
    std::string cursor;
    do {
        const auto page = json_of(service.client().send(
            "GET", "/api/v1/jobs?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor)));
        for (const auto& item : page.at("items")) ids.push_back(item.at("id").get<int>());
        const auto& next = page.at("next_cursor");
        cursor = next.is_null() ? "" : next.get<std::string>();
    } while (!cursor.empty());
    CHECK(ids == std::vector<int>{5, 4, 3, 2, 1});
    const auto none = json_of(service.client().send("GET", "/api/v1/jobs?state=parked"));
    CHECK(none.at("items").empty());
    CHECK(none.at("next_cursor").is_null());
}

TEST_CASE("The same idempotency key is the same trigger", "[service][api]") {
    Service service;
    const auto writer =
        service.client(service.token("writer", {Scope::read, Scope::trigger, Scope::triage}));
    const http::Headers key{{"idempotency-key", "k1"}};
    const auto path = "/api/v1/triggers";
    const std::string body = R"({"project":"demo"})";
    const auto first = json_of(writer.send("POST", path, body, key));
    const int wakes = service.wakes;
    CHECK(wakes > 0);
    CHECK(json_of(writer.send("POST", path, body, key)) == first);
    CHECK(json_of(writer.send("POST", path, body)) != first);
    const std::string other = R"({"project":"demo","version":"v2"})";
    CHECK(writer.send("POST", path, other, key).status == 422);
    CHECK(writer.send("POST", path, R"({"project":"none"})").status == 404);
    CHECK(writer.send("POST", path, R"({"project":"demo","revision":"abc"})").status == 400);
    CHECK(writer.send("POST", path, R"({"project":"demo","x":1})").status == 400);
    CHECK(writer.send("POST", path, "{").status == 400);
}

TEST_CASE("Tokens are made once, revoked for good, and never shown again", "[service][api]") {
    Service service;
    const auto admin = service.client(service.token("admin", Scope::admin));
    const std::string body = R"({"name":"new","scope":"read"})";
    const auto made = json_of(admin.send("POST", "/api/v1/tokens", body));
    const auto secret = made.at("secret").get<std::string>();
    CHECK(admin.send("POST", "/api/v1/tokens", body).status == 409);
    CHECK(service.client(secret).send("GET", "/api/v1/tokens").status == 403);
    CHECK(admin.send("GET", "/api/v1/tokens").body.find(secret) == std::string::npos);
    CHECK(admin.send("DELETE", "/api/v1/tokens/new").status == 204);
    CHECK(admin.send("DELETE", "/api/v1/tokens/new").status == 204);
    CHECK(admin.send("DELETE", "/api/v1/tokens/none").status == 404);
    CHECK(admin.send("DELETE", "/api/v1/tokens/admin").status == 409);
    CHECK(service.client(secret).send("GET", "/api/v1/jobs").status == 401);
}

TEST_CASE(
    "A signed push is acted on once, replays and other events are harmless", "[service][api]") {
    Service service([](Config& config) {
        const auto file = std::filesystem::path(config.state_dir) / "secret";
        std::ofstream(file) << "a secret\n";
        config.webhook = WebhookConfig{file.string(), {{"owner/name", "demo"}}};
    });
    const auto deliver = [&](const std::string& id,
                             const std::string& event,
                             const std::string& body,
                             const std::string& secret) {
        const http::Headers headers{
            {"x-github-delivery", id},
            {"x-github-event", event},
            {"x-hub-signature-256", signed_with(secret, body)}};
        return service.client().send("POST", "/hooks/github", body, headers);
    };
    const std::string push = R"({"ref":"refs/heads/main","repository":{"full_name":"owner/name"}})";
    CHECK(deliver("d0", "push", push, "another secret").status == 401);
    CHECK(service.client().send("POST", "/hooks/github", push).status == 401);
    const auto count = [&](const char* sql) {
        return service.change([&](Database& db) { return db.find<int>(sql).value_or(0); });
    };
    CHECK(count("SELECT count(*) FROM delivery") == 0);
    CHECK(json_of(deliver("d1", "push", push, "a secret")).at("state") == "acted");
    CHECK(json_of(deliver("d1", "push", push, "a secret")).at("replay") == true);
    CHECK(json_of(deliver("d2", "ping", "{}", "a secret")).at("state") == "ignored");
    CHECK(json_of(deliver("d3", "push", "not json", "a secret")).at("state") == "ignored");
    const std::string branch =
        R"({"ref":"refs/heads/other","repository":{"full_name":"owner/name"}})";
    CHECK(json_of(deliver("d4", "push", branch, "a secret")).at("state") == "ignored");
    CHECK(count("SELECT count(*) FROM trigger_request") == 1);
    CHECK(count("SELECT count(*) FROM delivery") == 4);
    CHECK(count("SELECT replays FROM delivery WHERE external_id = 'd1'") == 1);
}

TEST_CASE("Without a webhook in the config there is none", "[service][api]") {
    const Service service;
    CHECK(service.client().send("POST", "/hooks/github", "{}").status == 404);
}

TEST_CASE("Metrics tell the states of everything, and which routes were asked", "[service][api]") {
    Service service;
    seed_all(service);
    CHECK(service.client().send("GET", "/api/v1/jobs").status == 200);
    const auto text = service.client().send("GET", "/metrics").body;
    for (const auto* line :
         {"vigil_jobs{state=\"done\"} 1",
          "vigil_jobs{state=\"queued\"} 1",
          "vigil_leases 0",
          "vigil_regressions{state=\"reported\"} 1",
          "vigil_outbox_pending 0",
          "vigil_http_requests_total{route=\"/api/v1/jobs\",status=\"200\"} 1",
          "vigil_lane_waiting{lane=\"writer\"} 0",
          "vigil_nightly_age_seconds{project=\"demo\"}",
          "vigil_night_seconds{project=\"demo\"}",
          "vigil_machine_seconds_total{project=\"demo\",purpose=\"nightly\"}",
          "vigil_ledger_bytes ",
          "vigil_disk_free_bytes "}) {
        CAPTURE(line, text);
        CHECK(text.find(line) != std::string::npos);
    }
    CHECK(service.client().send("GET", "/readyz").status == 200);
}
