// What is shared among callers is kept in shares: none that is starved starves another.

#include <future>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/gzip.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/http/waiting_workers.hpp"
#include "service/store/ids.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

void add_elsewhere(Config& config) {
    ProjectConfig far;
    far.name = "far";
    far.source.kind = SourceKind::elsewhere;
    config.projects["far"] = far;
}

/// Imports of so many tokens, which are answered in their time.
std::vector<std::future<int>> send_imports(Service& service, int count, bool packed) {
    std::vector<std::future<int>> all;
    for (int i = 0; i < count; ++i) {
        const auto sender = service.token(fmt::format("sender{}", i), Scope::ingest);
        const auto path = "/api/v1/results?project=far&machine_class=ci&revision=" + hash_of('a');
        // The longer ones go to a file.
        std::string body = R"({"sort": {"latency": {"value": 12.5}}})" + std::string(100'000, ' ');
        http::Headers headers{{"content-type", "text/plain"}};
        if (packed) {
            body = http::gzip(body);
            headers["content-encoding"] = "gzip";
        }
        all.push_back(std::async(std::launch::async, [=, url = service.url()] {
            return http::Client(url, sender).send("POST", path, body, headers).status;
        }));
    }
    return all;
}

int status_for(const Service& service, const std::string& secret, const std::string& forwarded) {
    return service.client(secret)
        .send("GET", "/api/v1/jobs", "", {{"x-forwarded-for", forwarded}})
        .status;
}

}  // namespace

TEST_CASE("Imports in any number hold up no worker", "[service][http]") {
    Service service(add_elsewhere);
    std::promise<void> go_on;
    service.hold_imports(go_on.get_future().share());
    auto imports = send_imports(service, 6, GENERATE(false, true));
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    const nlohmann::json claim = {
        {"protocol", protocol_version},
        {"fingerprint", wire::to_json(small_machine())},
        {"wait_s", 0},
        {"draining", false}};
    const auto leased = worker.send("POST", "/api/v1/worker/claim", wire::write_json(claim));
    REQUIRE(leased.status == 200);
    const auto lease = wire::parse_lease(wire::parse_json(leased.body, "the lease"));
    const auto path = fmt::format("/api/v1/worker/jobs/{}/attempts/1/", to_string(lease.job));
    CHECK(worker.send("POST", path + "heartbeat", R"({"progress":"on"})").status == 200);
    put_small_product(worker);
    auto result = wire::write_json(wire::to_json(small_result(lease.builds.at(0).id)));
    result += std::string(100'000, ' ');  // a long one
    CHECK(worker.send("PUT", path + "result", result).status == 204);
    // All of that while the imports wait.
    for (auto& one : imports) {
        CHECK(one.wait_for(std::chrono::seconds(0)) == std::future_status::timeout);
    }
    go_on.set_value();
    for (auto& one : imports) CHECK(one.get() / 100 == 2);
}

TEST_CASE("Short results of many workers wait for one commit together", "[service][http]") {
    constexpr int count = 12;
    Service service([](Config& config) {
        for (int i = 0; i < count; ++i) config.workers["worker-" + std::to_string(i)] = {"small"};
    });
    std::vector<http::Client> workers;
    for (int i = 0; i < count; ++i) {
        const auto secret = service.token("worker-" + std::to_string(i), Scope::worker);
        workers.push_back(service.client(secret));
        // Its token is known and used from now on: that needs the writer only once.
        const auto path = "/api/v1/worker/jobs/1/attempts/1/heartbeat";
        CHECK(workers.back().send("POST", path, "{}").status == 409);
    }
    service.change([](Database&) {});  // the uses are written
    std::promise<void> go_on;
    std::promise<void> holds;  // else results may come before it
    auto held = std::async(std::launch::async, [&, until = go_on.get_future().share()] {
        service.change([&](Database&) {
            holds.set_value();
            until.wait();
        });
    });
    holds.get_future().wait();
    const auto result = wire::write_json(wire::to_json(small_result(BuildId{1})));
    std::vector<std::future<int>> statuses;
    for (const auto& worker : workers) {
        statuses.push_back(std::async(std::launch::async, [&] {
            return worker.send("PUT", "/api/v1/worker/jobs/1/attempts/1/result", result).status;
        }));
    }
    const std::string lane = "lane=\"writer\"} ";
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int waiting = 0;  // with what holds the writer
    while (waiting <= count && std::chrono::steady_clock::now() < give_up) {
        const auto text = service.client().send("GET", "/metrics").body;
        const auto at = text.find(lane);
        REQUIRE(at != std::string::npos);
        waiting = std::stoi(text.substr(at + lane.size()));
    }
    CHECK(waiting == count + 1);
    go_on.set_value();
    held.get();
    for (auto& status : statuses) CHECK(status.get() == 409);  // they have claimed nothing
}

TEST_CASE(
    "A notice wakes the waiting workers of classes with queued jobs alone", "[service][http]") {
    const Folder folder;
    Config config = small_config(folder);
    config.workers["far"] = {"other"};
    const auto ledger = folder.path / "ledger.db";
    auto db = Database::open_writer(ledger);
    migrate(db);
    boost::asio::io_context io;
    Lane<Database> reader(Database::open_reader(ledger), 10);
    WaitingWorkers workers(io, reader);
    const auto& small = workers.of(config, "worker-one");
    const auto& other = workers.of(config, "far");
    const auto notice = [&] {
        workers.notify();
        io.run();
        io.restart();
    };
    notice();
    CHECK(small.generation() == 0);  // nothing is queued
    ensure_machine_class(db, "other");
    add_small_job(db, 'c');
    notice();
    CHECK(small.generation() == 1);
    CHECK(other.generation() == 0);
    workers.notify_all();
    CHECK(other.generation() == 1);
}

TEST_CASE("Behind a proxy guesses are counted by whom it forwards", "[service][http]") {
    Service service([](Config& config) {
        config.http.trusted_proxies = {"127.0.0.1"};
        config.http.open_reads = OpenReads::never;
    });
    int limited = 0;
    for (int i = 0; i < 40; ++i) {
        const auto secret = "guess" + std::to_string(i);
        limited += status_for(service, secret, "192.0.2.1") == 429 ? 1 : 0;
    }
    CHECK(limited > 0);
    CHECK(status_for(service, "guess", "192.0.2.2") == 401);
    // What is not trusted to forward is who it is.
    Service alone([](Config& config) { config.http.open_reads = OpenReads::never; });
    limited = 0;
    for (int i = 0; i < 40; ++i) {
        const auto secret = "guess" + std::to_string(i);
        limited += status_for(alone, secret, fmt::format("192.0.2.{}", i)) == 429 ? 1 : 0;
    }
    CHECK(limited > 0);
}

TEST_CASE("Behind a proxy requests are counted by whom it forwards", "[service][http]") {
    Service service([](Config& config) {
        config.http.trusted_proxies = {"127.0.0.1"};
        config.http.open_reads = OpenReads::proxied;
        config.http.max_requests_a_minute = 2;
    });
    CHECK(status_for(service, "", "192.0.2.1") == 200);
    CHECK(status_for(service, "", "192.0.2.1") == 200);
    CHECK(status_for(service, "", "192.0.2.1") == 429);
    CHECK(status_for(service, "", "192.0.2.2") == 200);
}

TEST_CASE("Behind a proxy one stranger does not fill the house", "[service][http]") {
    Service service([](Config& config) {
        config.http.trusted_proxies = {"127.0.0.1"};
        config.http.max_connections = 32;
    });
    const auto ask = [](const std::string& from) {
        return "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: " + from + "\r\n\r\n";
    };
    RawSocket other(service.port());
    other.send(ask("192.0.2.2"));
    CHECK(other.read_answer().starts_with("HTTP/1.1 200"));
    std::vector<std::unique_ptr<RawSocket>> many;
    for (int i = 0; i < 60; ++i) {
        many.push_back(std::make_unique<RawSocket>(service.port()));
        many.back()->send(ask("192.0.2.1"));
        CHECK(many.back()->read_answer().starts_with("HTTP/1.1 200"));
    }
    other.send(ask("192.0.2.2"));
    CHECK(other.read_answer().starts_with("HTTP/1.1 200"));
}
