#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "tests/integration/service/http/fixture.hpp"

using namespace vigil;
using namespace vigil::service;
using vigil::service::testing::RawSocket;
using vigil::service::testing::Service;
using vigil::service::testing::status_of;

namespace {

int read_status(const Service& service, const std::string& fields) {
    RawSocket socket(service.port());
    socket.send("GET /api/v1/jobs HTTP/1.1\r\n" + fields + "Connection: close\r\n\r\n");
    return status_of(socket.read_all());
}

/// A service that takes signed pushes of owner/name.
class HookedService {
  public:
    HookedService()
        : service_([](Config& config) {
              const std::filesystem::path folder = config.state_dir;
              std::ofstream(folder / "secret") << "a secret\n";
              std::ofstream(folder / "old") << "an old secret\n";
              config.webhook = WebhookConfig{
                  (folder / "secret").string(),
                  {{"owner/name", "demo"}},
                  (folder / "old").string()};
          }) {}

    http::Response deliver(
        const std::string& id, const std::string& body, const std::string& secret = "a secret") {
        const http::Headers headers{
            {"x-github-delivery", id},
            {"x-github-event", "push"},
            {"x-hub-signature-256", "sha256=" + wire::hmac_sha256_hex(secret, body)}};
        return service_.client().send("POST", "/hooks/github", body, headers);
    }
    std::int64_t number(const char* sql) {
        return service_.change(
            [&](Database& db) { return db.find<std::int64_t>(sql).value_or(-1); });
    }
    const Service& service() const { return service_; }

  private:
    Service service_;
};

const std::string push =
    R"({"ref":"refs/heads/main","repository":{"full_name":"owner/name"},"x":1})";

}  // namespace

TEST_CASE("Reads need a token unless the config opens them", "[service][http]") {
    Service service([](Config& config) { config.http.open_reads = OpenReads::never; });
    CHECK(read_status(service, "Host: localhost\r\n") == 401);
    const auto token = service.token("reader", Scope::read);
    CHECK(
        read_status(service, "Host: localhost\r\nAuthorization: Bearer " + token + "\r\n") == 200);
    for (const auto* path : {"/healthz", "/readyz"}) {
        CHECK(service.client().send("GET", path).status == 200);
    }
    CHECK(service.client().send("GET", "/metrics").status == 401);
}

TEST_CASE("What a proxy forwards is read without a token only by name", "[service][http]") {
    const Service local;
    CHECK(read_status(local, "Host: localhost\r\n") == 200);
    const Service proxied([](Config& config) { config.http.open_reads = OpenReads::proxied; });
    for (const std::string field :
         {"Forwarded: for=192.0.2.7",
          "X-Forwarded-For: 192.0.2.7",
          "X-Forwarded-Host: h",
          "Via: 1.1 p",
          "X-Real-IP: 192.0.2.7"}) {
        CAPTURE(field);
        CHECK(read_status(local, "Host: localhost\r\n" + field + "\r\n") == 401);
        CHECK(read_status(proxied, "Host: vigil.example\r\n" + field + "\r\n") == 200);
    }
    CHECK(read_status(proxied, "Host: rebound.example\r\n") == 401);
}

TEST_CASE("Guessing is limited, and known tokens pass beside it", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("reader", Scope::read));
    CHECK(worker.send("GET", "/api/v1/jobs").status == 200);
    int limited = 0;
    for (int i = 0; i < 40; ++i) {
        const auto answer = service.client("guess" + std::to_string(i)).send("GET", "/api/v1/jobs");
        if (answer.status == 401) continue;
        CHECK(answer.status == 429);
        CHECK(std::stoi(answer.headers.at("retry-after")) >= 1);
        ++limited;
    }
    CHECK(limited > 0);
    CHECK(worker.send("GET", "/api/v1/jobs").status == 200);
    CHECK(service.client("guess").send("GET", "/healthz").status == 200);
}

TEST_CASE("A revoked token is unknown at once", "[service][http]") {
    Service service;
    const auto admin = service.client(service.token("admin", Scope::admin));
    const auto reader = service.client(service.token("reader", Scope::read));
    CHECK(reader.send("GET", "/api/v1/jobs").status == 200);
    CHECK(admin.send("DELETE", "/api/v1/tokens/reader").status == 204);
    CHECK(reader.send("GET", "/api/v1/jobs").status == 401);
}

TEST_CASE("Two secrets are taken while one is being replaced", "[service][api]") {
    HookedService hooked;
    CHECK(hooked.deliver("d1", push).status == 202);
    CHECK(hooked.deliver("d2", push, "an old secret").status == 202);
    CHECK(hooked.deliver("d3", push, "another secret").status == 401);
    std::filesystem::remove(hooked.service().folder().path / "old");
    CHECK(hooked.deliver("d4", push, "an old secret").status == 401);
    CHECK(hooked.deliver("d5", push).status == 202);
}

TEST_CASE("Another body under the id of an earlier delivery is a conflict", "[service][api]") {
    HookedService hooked;
    CHECK(hooked.deliver("d1", push).status == 202);
    const auto answer = hooked.deliver("d1", push + " ");
    CHECK(answer.status == 409);
    CHECK(answer.body.find("came before with another body") != std::string::npos);
    CHECK(hooked.deliver("d1", push).status == 202);
    CHECK(hooked.number("SELECT count(*) FROM trigger_request") == 1);
    CHECK(hooked.number("SELECT count(*) FROM event WHERE kind = 'delivery.conflict'") == 1);
    CHECK(hooked.number("SELECT replays FROM delivery WHERE external_id = 'd1'") == 1);
}

TEST_CASE("What a delivery says at length is not said again, nor in the ledger", "[service][api]") {
    HookedService hooked;
    const std::string noise(20'000'000, 'x');
    CHECK(hooked.deliver("d1", "\"" + noise).status == 202);  // a string without an end
    CHECK(
        hooked.deliver("d2", "{\"" + noise + "\":1,\"" + noise.substr(0, 100) + "\":").status ==
        202);
    CHECK(hooked.deliver("d3", "{\"a\":" + noise).status == 202);
    CHECK(hooked.number("SELECT count(*) FROM delivery WHERE state = 'ignored'") == 3);
    CHECK(hooked.number("SELECT max(length(message)) FROM delivery") < 500);
    CHECK(hooked.number("SELECT max(length(body)) FROM delivery") == 0);
    CHECK(hooked.number("SELECT max(length(message) + length(data)) FROM event") < 500);
}

TEST_CASE("An error's text does not repeat what was sent", "[service][api]") {
    Service service;
    const auto writer =
        service.client(service.token("writer", {Scope::read, Scope::trigger, Scope::triage}));
    const std::string noise(100'000, 'z');
    for (const auto& body :
         {"{\"" + noise + "\": 1}",
          "{\"project\": \"" + noise + "\"}",
          "{\"project\": {\"" + noise + "\": 1}}",
          "{\"" + noise + "\": 1, \"" + noise + "\": 2}",
          "{\"project\": \"" + noise,
          noise}) {
        const auto answer = writer.send("POST", "/api/v1/triggers", body);
        CAPTURE(body.substr(0, 30), answer.status, answer.body.substr(0, 500));
        CHECK(answer.status >= 400);
        CHECK(answer.status < 500);
        CHECK(answer.body.size() < 1000);
    }
}

TEST_CASE("A token has its scopes, ends by itself, and says when it was used", "[service][http]") {
    Service service;
    const auto admin = service.client(service.token("admin", Scope::admin));
    const auto add = [&](const std::string& body) {
        return admin.send("POST", "/api/v1/tokens", body);
    };
    CHECK(add(R"({"name":"t","scope":"read,write"})").status == 400);
    CHECK(add(R"({"name":"t","scope":"read","expires_at":"2001-01-01"})").status == 400);
    const auto made = add(R"({"name":"t","scope":"triage,read","expires_at":"2100-01-01"})");
    REQUIRE(made.status == 201);
    CHECK(made.body.find(R"("scope":"read,triage")") != made.body.npos);
    const auto secret = made.body.substr(made.body.find("secret") + 9, 64);
    const auto client = service.client(secret);
    CHECK(client.send("GET", "/api/v1/jobs").status == 200);
    const auto refusal = client.send("POST", "/api/v1/jobs/1/cancel");
    CHECK(refusal.status == 403);
    CHECK(refusal.body.find("this asks for scope trigger") != refusal.body.npos);
    const auto late = service.client(
        service.change([](Database& db) { return create_token(db, "late", Scope::read, 1, 5); }));
    const auto gone = late.send("GET", "/api/v1/jobs");
    CHECK(gone.status == 401);
    CHECK(gone.body.find("has expired") != gone.body.npos);
    const auto reader = service.client(service.token("reader", Scope::read));
    CHECK(reader.send("GET", "/api/v1/jobs").status == 200);
    CHECK(reader.send("GET", "/api/v1/jobs").status == 200);
    const auto used = service.change([](Database& db) {
        return db.find<std::int64_t>("SELECT used_at_s FROM token WHERE name = 'reader'");
    });
    CHECK(used.value_or(0) > 1'000'000'000);
}
