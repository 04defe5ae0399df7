// Live events: what is committed is told, once and in order, whatever happens to the connection.

#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/store/events.hpp"
#include "tests/integration/service/http/fixture.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string stream = "/api/v1/events/stream";

EventId tell(Service& service, const std::string& kind, int count = 1) {
    return service.change([&](Database& db) {
        EventId last{};
        for (int i = 0; i < count; ++i) {
            last = record_event(db, 7, kind, std::nullopt, "night/1", "line\none");
        }
        return last;
    });
}

std::unique_ptr<RawSocket> listen(
    const Service& service, const std::string& query = "", const std::string& field = "") {
    auto socket = std::make_unique<RawSocket>(service.port());
    socket->send("GET " + stream + query + " HTTP/1.1\r\nHost: localhost\r\n" + field + "\r\n");
    const auto head = socket->read_until("\r\n\r\n");
    CAPTURE(head);
    CHECK(status_of(head) == 200);
    CHECK(head.find("text/event-stream") != head.npos);
    CHECK(head.find("Content-Length") == head.npos);
    CHECK(head.find("ETag") == head.npos);
    CHECK(socket->read_until("\n\n") == "retry: 3000\n\n");
    return socket;
}

std::string frame_of(RawSocket& socket) {
    return socket.read_until("\n\n");
}

std::int64_t id_of(const std::string& frame) {
    REQUIRE(frame.starts_with("id: "));
    return std::stoll(frame.substr(4));
}

}  // namespace

TEST_CASE("A listener hears what is committed, and only what it asked for", "[service][http]") {
    Service service;
    tell(service, "night.late");
    CHECK(service.client().send("HEAD", stream).status == 200);
    const auto all = listen(service);
    const auto some = listen(service, "?kind=night.missing");
    const auto late = tell(service, "night.late");
    const auto missing = tell(service, "night.missing");
    const auto frame = frame_of(*all);
    CHECK(id_of(frame) == late.value);
    const auto data = frame.find("\ndata: ");
    REQUIRE(data != frame.npos);
    const auto event = wire::parse_json(frame.substr(data + 7), "the event");
    CHECK(event.at("kind") == "night.late");
    CHECK(event.at("message") == "line\none");
    const auto listed = service.client().send("GET", "/api/v1/events?kind=night.late&limit=1");
    CHECK(wire::parse_json(listed.body, "the list").at("items").at(0) == event);
    CHECK(id_of(frame_of(*all)) == missing.value);
    CHECK(id_of(frame_of(*some)) == missing.value);
}

TEST_CASE("A listener that comes again misses nothing", "[service][http]") {
    Service service;
    const auto first = tell(service, "night.late");
    const auto last = tell(service, "night.late", 1700);
    const auto field = "Last-Event-ID: " + std::to_string(first.value) + "\r\n";
    const auto back = listen(service, "", field);
    const auto also = listen(service, "?after=" + std::to_string(last.value - 1));
    tell(service, "night.missing");
    std::int64_t expected = first.value;
    while (expected <= last.value) {
        ++expected;
        const auto id = id_of(frame_of(*back));
        if (id != expected) FAIL("after " << expected - 1 << " came " << id);
    }
    CHECK(id_of(frame_of(*also)) == last.value);
    CHECK(id_of(frame_of(*also)) == last.value + 1);
    // Of another ledger: what was never given counts as the newest.
    const auto lost = listen(service, "", "Last-Event-ID: 999999\r\n");
    const auto next = tell(service, "night.late");
    CHECK(id_of(frame_of(*lost)) == next.value);
}

TEST_CASE("A hundred listeners hear of one reading", "[service][http]") {
    Service service([](Config& config) { config.http.max_connections = 8; });
    std::vector<std::unique_ptr<RawSocket>> listeners;
    for (int i = 0; i < 100; ++i) listeners.push_back(listen(service));
    // They take no place of those who ask.
    CHECK(service.client().send("GET", "/healthz").status == 200);
    const auto told = tell(service, "night.late");
    for (auto& one : listeners) CHECK(id_of(frame_of(*one)) == told.value);
    for (auto& one : listeners) one->close();
    listeners.clear();
    const auto later = listen(service);
    const auto again = tell(service, "night.late");
    CHECK(id_of(frame_of(*later)) == again.value);
}

TEST_CASE("A refused listener gets the reason", "[service][http]") {
    Service service([](Config& config) { config.http.max_listeners = 1; });
    const auto client = service.client();
    CHECK(client.send("GET", stream + "?kind=night.lat").status == 400);
    CHECK(client.send("GET", stream + "?project=dem").status == 400);
    CHECK(client.send("GET", stream, "", {{"last-event-id", "x"}}).status == 400);
    const auto first = listen(service);
    const auto refused = client.send("GET", stream);
    CHECK(refused.status == 503);
    CHECK(refused.headers.at("retry-after") == "5");
}

TEST_CASE("Whoever of one token is one listener too many is told so", "[service][http]") {
    Service service([](Config& config) {
        config.http.max_connections = 32;
        config.http.max_listeners = 100;
        config.http.heartbeat_s = 1;
    });
    const auto token = service.token("reader", Scope::read);
    // Many that show an unknown token at once are told to wait.
    REQUIRE(service.client(token).send("GET", "/api/v1/projects").status == 200);
    std::vector<std::unique_ptr<RawSocket>> all;
    for (int i = 0; i < 300; ++i) {
        all.push_back(std::make_unique<RawSocket>(service.port()));
        all.back()->try_send(
            "GET " + stream + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token +
            "\r\n\r\n");
    }
    std::map<int, int> answers;
    for (auto& one : all) ++answers[status_of(one->read_until("\r\n\r\n"))];
    CAPTURE(answers);
    CHECK(answers[200] <= 100);
    CHECK(answers[200] + answers[503] == 300);
}

TEST_CASE("A silent stream has a heartbeat, and ends with the service", "[service][http]") {
    Service service([](Config& config) { config.http.heartbeat_s = 1; });
    const auto listener = listen(service);
    CHECK(frame_of(*listener) == ":\n\n");
    service.drain(long_enough);
    const auto rest = listener->read_all();  // a slow machine hears more heartbeats meanwhile
    CHECK(rest.find_first_not_of(":\n") == rest.npos);
}
