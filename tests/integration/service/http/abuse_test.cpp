// What strangers at the port cannot do: keep workers out, fill the memory, hold up the writer.

#include <memory>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/content_index.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string claims_path = "/api/v1/worker/claim";

std::string short_claim() {
    const nlohmann::json body = {
        {"protocol", protocol_version},
        {"fingerprint", wire::to_json(small_machine())},
        {"wait_s", 0},
        {"draining", false}};
    return wire::write_json(body);
}

std::vector<std::unique_ptr<RawSocket>> strangers(const Service& service, int count) {
    std::vector<std::unique_ptr<RawSocket>> sockets;
    for (int i = 0; i < count; ++i) sockets.push_back(std::make_unique<RawSocket>(service.port()));
    return sockets;
}

/// A service whose every connection has to be fought for.
Service::Adjust small_house() {
    return [](Config& config) { config.http.max_connections = 8; };
}

std::size_t files_of_content(const Service& service) {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(service.folder().path / "content")) {
        count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
}

std::string hook_head(std::size_t length, const std::string& signature) {
    return "POST /hooks/github HTTP/1.1\r\nHost: h\r\nX-GitHub-Delivery: d1\r\n"
           "X-GitHub-Event: push\r\nX-Hub-Signature-256: " +
           signature + "\r\nContent-Length: " + std::to_string(length) + "\r\n";
}

Service::Adjust with_webhook() {
    return [](Config& config) {
        const auto file = std::filesystem::path(config.state_dir) / "secret";
        std::ofstream(file) << "a secret\n";
        config.webhook = WebhookConfig{file.string(), {{"owner/name", "demo"}}};
    };
}

}  // namespace

TEST_CASE("Idle connections in any number keep nobody out", "[service][http]") {
    Service service(small_house());
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    const auto idle = strangers(service, 60);
    for (int i = 0; i < 20; ++i) {
        CHECK(service.client().send("GET", "/healthz").status == 200);
        CHECK(worker.send("POST", claims_path, short_claim()).status == 204);
    }
    CHECK(status_of(idle.front()->read_all()) == 503);  // the oldest had to go
}

TEST_CASE("Half-sent requests in any number keep nobody out", "[service][http]") {
    Service service(small_house());
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    auto slow = strangers(service, 60);
    for (auto& socket : slow) socket->try_send("GET /healthz HTTP/1.1\r\nHost: h\r\nX-Slow: ");
    CHECK(worker.send("POST", claims_path, short_claim()).status == 204);
    CHECK(service.client().send("GET", "/healthz").status == 200);
}

TEST_CASE("A connection that has shown a token outlasts any number of guests", "[service][http]") {
    Service service(small_house());
    const auto token = service.token("worker-one", Scope::worker);
    RawSocket worker(service.port());
    const auto ask = [&] {
        const auto body = short_claim();
        worker.send(
            "POST " + claims_path + " HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n" +
            "Authorization: Bearer " + token +
            "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
        return status_of(worker.read_answer());
    };
    CHECK(ask() == 204);
    const auto idle = strangers(service, 60);
    CHECK(service.client().send("GET", "/healthz").status == 200);
    CHECK(ask() == 204);
}

TEST_CASE("A guessed token makes no guest a friend of the house", "[service][http]") {
    Service service(small_house());
    auto guessers = strangers(service, 30);
    for (auto& socket : guessers) {
        socket->try_send("GET /api/v1/jobs HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer x\r\n\r\n");
    }
    CHECK(service.client().send("GET", "/healthz").status == 200);
}

TEST_CASE("One token does not fill the house", "[service][http]") {
    Service service([](Config& config) { config.http.max_connections = 32; });
    const auto token = service.token("reader", Scope::read);
    auto many = strangers(service, 60);
    for (auto& socket : many) {
        socket->try_send(
            "GET /api/v1/jobs HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token + "\r\n\r\n");
        socket->read_answer();
    }
    CHECK(service.client().send("GET", "/healthz").status == 200);
    CHECK(many.front()->read_all().empty());
}

TEST_CASE("Who has to make room while it asks is answered 503", "[service][http]") {
    Service service(small_house());
    const auto token = service.token("worker-one", Scope::worker);
    auto many = strangers(service, 30);
    const auto path = "/api/v1/content/" + wire::sha256("x").str() + "?kind=log";
    for (auto& socket : many) {
        socket->try_send(
            "PUT " + path + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token +
            "\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n");
    }
    const auto first = many.front()->read_all();
    CHECK(first.ends_with("Connection: close\r\n\r\n"));
    CHECK(first.find("503 Service Unavailable") != first.npos);
}

TEST_CASE(
    "A long delivery is taken by way of the disk, and kept once it is vouched for",
    "[service][http]") {
    Service service(with_webhook());
    const std::string body =
        R"({"ref":"refs/heads/main","repository":{"full_name":"owner/name"},"x":")" +
        std::string(300'000, 'x') + "\"}";
    const auto signature = "sha256=" + wire::hmac_sha256_hex("a secret", body);
    RawSocket socket(service.port());
    socket.send(hook_head(body.size(), signature) + "Expect: 100-continue\r\n\r\n");
    CHECK(status_of(socket.read_answer()) == 100);
    socket.send(body);
    const auto answer = socket.read_answer();
    CHECK(status_of(answer) == 202);
    CHECK(answer.find("\"acted\"") != std::string::npos);
    socket.send(hook_head(body.size(), "sha256=00") + "\r\n" + body);
    CHECK(status_of(socket.read_answer()) == 401);
    socket.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");  // the body was read to its end
    CHECK(status_of(socket.read_answer()) == 200);
    CHECK(files_of_content(service) == 1);
    service.change([&](Database& db) {
        const auto kept = find_content_kind(db, wire::sha256(body));
        CHECK(kept == ContentKind::delivery);
    });
}

TEST_CASE("A long delivery may come in chunks", "[service][http]") {
    Service service(with_webhook());
    const std::string body(200'000, 'x');
    const auto signature = "sha256=" + wire::hmac_sha256_hex("a secret", body);
    std::string chunked;
    for (std::size_t at = 0; at < body.size(); at += 4000) {
        chunked += "fa0\r\n" + body.substr(at, 4000) + "\r\n";
    }
    RawSocket socket(service.port());
    socket.send(
        "POST /hooks/github HTTP/1.1\r\nHost: h\r\nX-GitHub-Delivery: d1\r\nX-GitHub-Event: "
        "ping\r\n"
        "X-Hub-Signature-256: " +
        signature + "\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + "0\r\n\r\n");
    CHECK(status_of(socket.read_answer()) == 202);
}

TEST_CASE(
    "Long deliveries that never end leave room for short ones and workers", "[service][http]") {
    Service service(with_webhook());
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    auto slow = strangers(service, 40);
    for (auto& socket : slow) {
        socket->try_send(hook_head(20'000'000, "sha256=00") + "\r\n" + std::string(70'000, 'x'));
    }
    const std::string body = "{}";
    const http::Headers headers{
        {"x-github-delivery", "d2"},
        {"x-github-event", "ping"},
        {"x-hub-signature-256", "sha256=" + wire::hmac_sha256_hex("a secret", body)}};
    CHECK(service.client().send("POST", "/hooks/github", body, headers).status == 202);
    CHECK(worker.send("POST", claims_path, short_claim()).status == 204);
}

TEST_CASE("An unsigned delivery is refused before its body comes", "[service][http]") {
    const Service service(with_webhook());
    RawSocket socket(service.port());
    socket.send("POST /hooks/github HTTP/1.1\r\nHost: h\r\nContent-Length: 20000000\r\n\r\n");
    CHECK(status_of(socket.read_answer()) == 401);
}

TEST_CASE("A long result is taken by way of the disk", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    const auto claimed = worker.send("POST", claims_path, short_claim());
    REQUIRE(claimed.status == 200);
    const auto lease = wire::parse_lease(wire::parse_json(claimed.body, "the lease"));
    auto result = small_result(lease.builds.at(0).id);
    result.runs.at(0).samples.at(0).values.assign(50'000, 123.5);
    const auto body = wire::write_json(wire::to_json(result));
    const auto path = "/api/v1/worker/jobs/" + to_string(lease.job) + "/attempts/1/result";
    put_small_product(worker);
    const auto before = files_of_content(service);
    CHECK(worker.send("PUT", path, body.substr(0, body.size() - 1)).status == 400);
    CHECK(worker.send("PUT", path, body).status == 204);
    CHECK(worker.send("PUT", path, body).status == 204);  // once more is the same
    CHECK(files_of_content(service) == before);
    const auto count = service.change(
        [](Database& db) { return db.find<int>("SELECT count FROM measurement").value_or(0); });
    CHECK(count == 50'000);
}
