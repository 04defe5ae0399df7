#include "service/http/server.hpp"

#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "service/http/receive.hpp"
#include "service/store/troubles.hpp"
#include "tests/integration/service/http/fixture.hpp"

using namespace vigil;
using namespace vigil::service;
using vigil::service::testing::long_enough;
using vigil::service::testing::RawSocket;
using vigil::service::testing::Service;
using vigil::service::testing::status_of;

namespace {

const std::string alive = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Sends the bytes, and reads until the service closes.
std::string refuse(const Service& service, const std::string& bytes) {
    RawSocket socket(service.port());
    socket.try_send(bytes);
    return socket.read_all();
}

}  // namespace

TEST_CASE("Hostile requests get 400 and the connection ends", "[service][http]") {
    const Service service;
    const std::string chunked = "0\r\n\r\n";
    for (const std::string& request :
         {"POST /hooks/github HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n" + chunked,
          "POST /hooks/github HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, gzip\r\n\r\n" +
              chunked,
          std::string("POST /hooks/github HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\n"
                      "Content-Length: 1\r\n\r\na"),
          "POST /hooks/github HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked,
          "POST /hooks/github HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
          "Content-Length: 5\r\n\r\n" +
              chunked,
          std::string("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n"
                      "Content-Length: 1\r\n\r\na"),
          std::string("GET /healthz HTTP/1.1\r\nHost: h\r\nX-A: b\r\n c\r\n\r\n"),
          std::string("GET /healthz HTTP/1.1\r\n\r\n"),
          std::string("GET /healthz HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n"),
          std::string("GET /../etc/passwd HTTP/1.1\r\nHost: h\r\n\r\n"),
          std::string("GET /healthz HTTP/1.1\nHost: h\n\n"),
          std::string("\x16\x03\x01\n\n"),
          std::string("GET /healthz\r\n\r\n")}) {
        CAPTURE(request);
        const auto answer = refuse(service, request + alive);  // what follows is never served
        CHECK(status_of(answer) == 400);
        CHECK(answer.find("application/problem+json") != std::string::npos);
        CHECK(answer.find("Connection: close") != std::string::npos);
        CHECK(answer.find("HTTP/1.1 200") == std::string::npos);
        CHECK(answer.find("...timeout") == std::string::npos);
    }
}

TEST_CASE("Hostile chunked bodies are refused while they come", "[service][http]") {
    const Service service([](Config& config) {
        config.webhook = WebhookConfig{"missing", {}};
        config.http.max_webhook_bytes = 1000;
    });
    const std::string head =
        "POST /hooks/github HTTP/1.1\r\nHost: h\r\nX-Hub-Signature-256: sha256=00\r\n"
        "Transfer-Encoding: chunked\r\n\r\n";
    CHECK(status_of(refuse(service, head + "1;" + std::string(100'000, 'a'))) == 400);
    CHECK(status_of(refuse(service, head + "0\r\nContent-Length: 5\r\n\r\n")) == 400);
    CHECK(status_of(refuse(service, head + "zz\r\n")) == 400);
    CHECK(status_of(refuse(service, head + "7d0\r\n" + std::string(2000, 'a') + "\r\n")) == 413);
}

TEST_CASE("Heads and bodies beyond their limits are refused at once", "[service][http]") {
    Service service([](Config& config) { config.http.max_body_bytes = 100; });
    const auto token = service.token("writer", {Scope::read, Scope::trigger, Scope::triage});
    CHECK(
        status_of(refuse(service, "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(70'000, 'x'))) ==
        431);
    CHECK(
        status_of(refuse(
            service, "GET /" + std::string(5000, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n")) == 414);
    const std::string post = "POST /api/v1/triggers HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " +
                             token + "\r\nContent-Length: ";
    CHECK(
        status_of(refuse(service, post + "101\r\nContent-Type: application/json\r\n\r\n")) == 413);
    CHECK(status_of(refuse(service, post + "2\r\nContent-Type: text/plain\r\n\r\n{}")) == 415);
    CHECK(status_of(refuse(service, "GET /healthz HTTP/2.0\r\nHost: h\r\n\r\n")) == 505);
    CHECK(
        status_of(refuse(service, "GET /healthz HTTP/1.1\r\nHost: h\r\nExpect: x\r\n\r\n")) == 417);
}

TEST_CASE("A request may arrive byte by byte, and several in one packet", "[service][http]") {
    const Service service;
    RawSocket slow(service.port());
    for (const char c : alive) slow.send(std::string_view(&c, 1));
    CHECK(status_of(slow.read_answer()) == 200);

    RawSocket pipelined(service.port());
    pipelined.send(alive + "GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n" + alive);
    CHECK(status_of(pipelined.read_answer()) == 200);
    CHECK(status_of(pipelined.read_answer()) == 404);
    CHECK(status_of(pipelined.read_answer()) == 200);
}

TEST_CASE("A client that trickles its head is cut off", "[service][http]") {
    const Service service([](Config& config) { config.http.request_timeout_s = 1; });
    RawSocket socket(service.port());
    socket.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
    CHECK(socket.read_all().empty());
}

TEST_CASE("A body that does not come is cut off", "[service][http]") {
    Service service([](Config& config) { config.http.request_timeout_s = 1; });
    const auto token = service.token("writer", {Scope::read, Scope::trigger, Scope::triage});
    RawSocket socket(service.port());
    socket.send(
        "POST /api/v1/triggers HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token +
        "\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{");
    CHECK(socket.read_all().empty());
}

TEST_CASE("An idle connection ends", "[service][http]") {
    const Service service([](Config& config) { config.http.idle_timeout_s = 4; });
    RawSocket socket(service.port());
    socket.send(alive);  // before that, on a slow machine too
    CHECK(status_of(socket.read_answer()) == 200);
    CHECK(socket.read_all().empty());
}

TEST_CASE("Two hundred connections are served at once", "[service][http]") {
    constexpr int count = 200;
    const Service service([](Config& config) { config.http.max_connections = 600; });
    std::vector<std::unique_ptr<RawSocket>> sockets;
    for (int i = 0; i < count; ++i) sockets.push_back(std::make_unique<RawSocket>(service.port()));
    for (auto& socket : sockets) socket->send(alive);
    int served = 0;
    for (auto& socket : sockets) served += status_of(socket->read_answer()) == 200 ? 1 : 0;
    CHECK(served == count);
}

TEST_CASE("Where all have shown a token, one more is turned away", "[service][http]") {
    constexpr int places = 4;
    Service service([](Config& config) { config.http.max_connections = places; });
    const auto token = service.token("reader", Scope::read);
    std::vector<std::unique_ptr<RawSocket>> known;
    for (int i = 0; i < places; ++i) {
        known.push_back(std::make_unique<RawSocket>(service.port()));
        known.back()->send(
            "GET /api/v1/jobs HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token + "\r\n\r\n");
        CHECK(status_of(known.back()->read_answer()) == 200);
    }
    RawSocket extra(service.port());
    CHECK(status_of(extra.read_all()) == 503);
    known.front()->send(alive);
    CHECK(status_of(known.front()->read_answer()) == 200);
}

TEST_CASE("Open troubles are counted where machines look", "[service][http]") {
    Service service;
    service.change([](Database& db) {
        for (const std::string subject : {"project/a", "project/b"}) {
            note_trouble(db, {"source.failed", subject, std::nullopt, "a secret place"}, 10);
        }
        note_trouble(db, {"tick.failed", "tick/watch", std::nullopt, "it threw"}, 10);
        return end_trouble(db, "tick.failed", "tick/watch", 20);
    });
    const auto ready = service.client().send("GET", "/readyz");
    CHECK(ready.status == 200);
    CHECK(ready.body == "ready\ntrouble source.failed 2\n");
    const auto metrics = service.client().send("GET", "/metrics").body;
    CHECK_THAT(metrics, Catch::Contains("vigil_troubles{kind=\"source.failed\"} 2\n"));
    CHECK_THAT(metrics, Catch::Contains("vigil_troubles{kind=\"tick.failed\"} 0\n"));
}

TEST_CASE("Wrong paths, methods and bodies get problems that say so", "[service][http]") {
    const Service service;
    const auto client = service.client();
    const auto missing = client.send("GET", "/api/v1/nothing");
    CHECK(missing.status == 404);
    CHECK(missing.headers.at("content-type") == "application/problem+json");
    CHECK(missing.body.find("\"instance\":\"/api/v1/nothing\"") != std::string::npos);
    CHECK(missing.body.find("\"title\":\"Not Found\"") != std::string::npos);
    const auto wrong = client.send("DELETE", "/api/v1/jobs");
    CHECK(wrong.status == 405);
    CHECK(wrong.headers.at("allow") == "GET, HEAD, OPTIONS");
    CHECK(client.send("GET", "/api/v1/jobs", "{}").status == 400);
    CHECK(client.send("GET", "/api/v1/jobs/x").status == 404);
    CHECK(client.send("GET", "/api/v1/jobs?limit=0").status == 400);
    CHECK(client.send("GET", "/api/v1/jobs?colour=red").status == 400);
    CHECK(client.send("GET", "/api/v1/jobs?cursor=zzz").status == 400);
    CHECK(client.send("GET", "/api/v1/jobs?state=lost").status == 400);
    CHECK(client.send("GET", "/api/v1/jobs?state=queued&limit=500").status == 200);
}

TEST_CASE("HEAD is GET without its body", "[service][http]") {
    const Service service;
    RawSocket socket(service.port());
    socket.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const auto answer = socket.read_all();
    CHECK(status_of(answer) == 200);
    CHECK(answer.find("Content-Length: 6\r\n") != std::string::npos);
    CHECK(answer.ends_with("\r\n\r\n"));
}

TEST_CASE("A client that waits for 100 Continue gets it", "[service][http]") {
    Service service;
    const auto token = service.token("writer", {Scope::read, Scope::trigger, Scope::triage});
    RawSocket socket(service.port());
    socket.send(
        "POST /api/v1/triggers HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token +
        "\r\nContent-Type: application/json\r\nContent-Length: 18\r\nExpect: 100-continue\r\n\r\n");
    CHECK(status_of(socket.read_answer()) == 100);
    socket.send("{\"project\":\"demo\"}");
    CHECK(status_of(socket.read_answer()) == 202);
}

TEST_CASE("Elsewhere than on loopback, reads need a token too", "[service][http]") {
    Service service([](Config& config) { config.http.address = "0.0.0.0"; });
    const auto token = service.token("reader", Scope::read);
    CHECK(service.client().send("GET", "/api/v1/jobs").status == 401);
    CHECK(service.client().send("GET", "/metrics").status == 401);
    CHECK(service.client().send("GET", "/healthz").status == 200);
    CHECK(service.client(token).send("GET", "/api/v1/jobs").status == 200);
    CHECK(service.client(token).send("POST", "/api/v1/triggers", "{}").status == 403);
    CHECK(service.client("00").send("GET", "/api/v1/jobs").status == 401);
}

TEST_CASE("A page that was lured to loopback reads nothing", "[service][http]") {
    const Service service;
    RawSocket socket(service.port());
    socket.send("GET /api/v1/jobs HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n");
    CHECK(status_of(socket.read_all()) == 401);
}

TEST_CASE("A drain finishes what runs, and ends idle connections", "[service][http]") {
    Service service;
    RawSocket idle(service.port());
    idle.send(alive);
    CHECK(status_of(idle.read_answer()) == 200);
    service.drain(testing::long_enough);
    CHECK(idle.read_all().empty());
    CHECK_THROWS_AS(service.client().send("GET", "/healthz"), Error);
}

TEST_CASE("A drain's deadline cuts off who does not end", "[service][http]") {
    Service service;
    RawSocket stuck(service.port());
    stuck.send("GET /healthz HTTP/1.1\r\n");
    service.notify_work();  // the head's beginning has been read, or is cut as idle: both are fine
    service.drain(std::chrono::milliseconds(100));
    CHECK(stuck.read_all().empty());
}

TEST_CASE("A port that is taken is an error that says what to do", "[service][http]") {
    const Service service;
    const auto port = service.port();
    CHECK_THROWS_WITH(
        Service([&](Config& config) { config.http.port = port; }),
        Catch::Contains("choose another http.address or http.port"));
}
