// The worker protocol over HTTP: claim, heartbeat, result, content.

#include <fstream>
#include <future>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/schedule/leases.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string claim_path = "/api/v1/worker/claim";

std::string claim_body(int wait_s, int protocol = protocol_version) {
    const nlohmann::json body = {
        {"protocol", protocol},
        {"fingerprint", wire::to_json(small_machine())},
        {"wait_s", wait_s},
        {"draining", false}};
    return wire::write_json(body);
}

std::string attempt_path(const Lease& lease, const std::string& what) {
    return "/api/v1/worker/jobs/" + to_string(lease.job) + "/attempts/" +
           std::to_string(lease.attempt) + "/" + what;
}

Lease claim(const http::Client& worker) {
    const auto answer = worker.send("POST", claim_path, claim_body(0));
    REQUIRE(answer.status == 200);
    return wire::parse_lease(wire::parse_json(answer.body, "the lease"));
}

/// Waits until so many claims wait, as /metrics tells.
void await_claims(const Service& service, int count) {
    const std::string line = "\nvigil_waiting_claims " + std::to_string(count) + "\n";
    for (int i = 0; i < 10'000; ++i) {
        if (service.client().send("GET", "/metrics").body.find(line) != std::string::npos) return;
    }
    FAIL("no " << count << " claims came to wait");
}

}  // namespace

TEST_CASE("A job goes from claim through heartbeat to its result, once", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    CHECK(worker.send("POST", claim_path, claim_body(0)).status == 204);
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    const auto lease = claim(worker);
    CHECK(lease.attempt == 1);
    CHECK(lease.project == "demo");
    const auto beat = worker.send("POST", attempt_path(lease, "heartbeat"), R"({"progress":"on"})");
    CHECK(beat.status == 200);
    CHECK(wire::parse_json(beat.body, "beat").at("cancel") == false);
    CHECK(
        service.client().send("GET", "/api/v1/jobs/1").body.find("\"progress\":\"on\"") !=
        std::string::npos);

    const auto result = wire::write_json(wire::to_json(small_result(lease.builds.at(0).id)));
    put_small_product(worker);
    const int wakes = service.wakes;
    CHECK(worker.send("PUT", attempt_path(lease, "result"), result).status == 204);
    CHECK(service.wakes > wakes);
    CHECK(worker.send("PUT", attempt_path(lease, "result"), result).status == 204);
    const auto runs = service.client().send("GET", "/api/v1/runs");
    CHECK(wire::parse_json(runs.body, "runs").at("items").size() == 1);
    const auto run = wire::parse_json(service.client().send("GET", "/api/v1/runs/1").body, "run");
    CHECK(run.at("measurements").at(0).at("samples") == nlohmann::json({1.0, 2.0, 3.0}));
}

TEST_CASE("Results of attempts that are over, or never were, are refused", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    const auto other = service.client(service.token("worker-two", Scope::worker));
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    auto lease = claim(worker);
    const auto result = wire::write_json(wire::to_json(small_result(lease.builds.at(0).id)));
    CHECK(other.send("PUT", attempt_path(lease, "result"), result).status == 409);
    service.change([](Database& db) { return expire_leases(db, JobConfig{}, 1'000'000'000'000); });
    CHECK(worker.send("POST", attempt_path(lease, "heartbeat"), "{}").status == 409);
    CHECK(worker.send("PUT", attempt_path(lease, "result"), result).status == 409);
    const auto job = wire::parse_json(service.client().send("GET", "/api/v1/jobs/1").body, "job");
    CHECK(job.at("attempts").at(0).at("stale_results") == 1);
    lease.job = JobId{99};
    CHECK(worker.send("PUT", attempt_path(lease, "result"), result).status == 404);
    CHECK(worker.send("PUT", attempt_path(lease, "result"), "{}").status == 400);
}

TEST_CASE("A result names products that were put before, or is refused", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    const auto lease = claim(worker);
    const auto result = wire::write_json(wire::to_json(small_result(lease.builds.at(0).id)));
    const auto refused = worker.send("PUT", attempt_path(lease, "result"), result);
    CHECK(refused.status == 409);
    CHECK_THAT(
        refused.body,
        Catch::Contains("names the product " + wire::sha256(small_product).str()) &&
            Catch::Contains("was never put here"));
    const auto rows = [&](const char* table) {
        return service.change([&](Database& db) {
            return db.find<int>(std::string("SELECT count(*) FROM ") + table).value_or(-1);
        });
    };
    CHECK(rows("run") == 0);
    CHECK(rows("product") == 0);
    CHECK(rows("job WHERE state = 'leased'") == 1);  // it may be sent again
    put_small_product(worker);
    CHECK(worker.send("PUT", attempt_path(lease, "result"), result).status == 204);
    CHECK(rows("product") == 1);
}

TEST_CASE("A worker of the protocol before is served", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    CHECK(worker.send("POST", claim_path, claim_body(0, oldest_protocol_version)).status == 204);
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    CHECK(worker.send("POST", claim_path, claim_body(0, oldest_protocol_version)).status == 200);
}

TEST_CASE("Another protocol is refused saying which side to upgrade", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    const auto old = worker.send("POST", claim_path, claim_body(0, 0));
    CHECK(old.status == 409);
    CHECK(old.body.find("upgrade the worker") != std::string::npos);
    const auto young = worker.send("POST", claim_path, R"({"protocol":99,"novelty":true})");
    CHECK(young.status == 409);
    CHECK(young.body.find("upgrade the daemon") != std::string::npos);
}

TEST_CASE("Only workers that the config knows may claim", "[service][http]") {
    Service service;
    const auto stranger = service.client(service.token("stranger", Scope::worker));
    CHECK(stranger.send("POST", claim_path, claim_body(0)).status == 403);
    CHECK(service.client().send("POST", claim_path, claim_body(0)).status == 401);
    const auto admin = service.client(service.token("boss", Scope::admin));
    CHECK(admin.send("POST", claim_path, claim_body(0)).status == 403);
}

TEST_CASE("A worker that the config does not know gets and puts nothing", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    const auto file = service.folder().path / "tree";
    std::ofstream(file) << "a tree";
    const auto path = "/api/v1/content/" + wire::sha256_file(file).str();
    REQUIRE(worker.upload(path + "?kind=product", file).status == 204);
    const auto stranger = service.client(service.token("stranger", {Scope::read, Scope::worker}));
    const auto refused = stranger.send("GET", path);
    CHECK(refused.status == 403);
    CHECK(refused.body.find("maps no worker 'stranger'") != std::string::npos);
    CHECK(stranger.send("HEAD", path).status == 403);
    CHECK(stranger.upload(path + "?kind=product", file).status == 403);
    const std::string attempt = "/api/v1/worker/jobs/1/attempts/1";
    CHECK(stranger.send("POST", attempt + "/heartbeat", "{}").status == 403);
    CHECK(stranger.send("PUT", attempt + "/result", "{}").status == 403);
    CHECK(stranger.send("GET", "/api/v1/workers").status == 200);  // it reads what readers read
    const auto both = service.client(service.token("boss", {Scope::admin, Scope::worker}));
    CHECK(both.send("GET", path).status == 200);
    CHECK(both.send("PUT", attempt + "/result", "{}").status == 403);
}

TEST_CASE("A waiting claim gets the job that is added meanwhile", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    auto waiting = std::async(
        std::launch::async, [&] { return worker.send("POST", claim_path, claim_body(30)); });
    await_claims(service, 1);
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    service.notify_work();
    CHECK(waiting.get().status == 200);
}

TEST_CASE("A drain ends waiting claims with 204", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    auto waiting = std::async(
        std::launch::async, [&] { return worker.send("POST", claim_path, claim_body(30)); });
    await_claims(service, 1);
    service.drain(long_enough);
    CHECK(waiting.get().status == 204);
}

TEST_CASE("A claim ends when its client hangs up, and takes no job", "[service][http]") {
    Service service;
    const auto secret = service.token("worker-one", Scope::worker);
    const auto body = claim_body(30);
    RawSocket socket(service.port());
    socket.send(
        "POST " + claim_path + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + secret +
        "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body);
    await_claims(service, 1);
    socket.close();
    await_claims(service, 0);
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    service.notify_work();
    CHECK(claim(service.client(secret)).attempt == 1);
}

TEST_CASE("One token may have only so many claims waiting", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    std::vector<std::future<http::Response>> waiting;
    for (int i = 0; i < 4; ++i) {
        waiting.push_back(std::async(
            std::launch::async, [&] { return worker.send("POST", claim_path, claim_body(30)); }));
    }
    await_claims(service, 4);
    const auto refused = worker.send("POST", claim_path, claim_body(30));
    CHECK(refused.status == 429);
    CHECK(refused.headers.contains("retry-after"));
    service.drain(long_enough);
    for (auto& one : waiting) CHECK(one.get().status == 204);
}

TEST_CASE("Content goes up and down by its digest, and nothing else does", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    const auto file = service.folder().path / "product";
    const std::string bytes(300'000, 'p');
    std::ofstream(file, std::ios::binary) << bytes;
    const auto digest = wire::sha256_file(file);
    const std::string path = "/api/v1/content/" + digest.str();
    CHECK(worker.send("HEAD", path).status == 404);
    CHECK(worker.upload(path + "?kind=product", file).status == 204);
    CHECK(worker.upload(path + "?kind=product", file).status == 204);
    CHECK(worker.send("HEAD", path).headers.at("content-length") == "300000");
    const auto copy = service.folder().path / "copy";
    CHECK(worker.download(path, copy).status == 200);
    CHECK(wire::sha256_file(copy) == digest);
    const auto whole = worker.send("GET", path);
    CHECK(whole.headers.at("cache-control") == "private, max-age=31536000, immutable");
    const auto tag = whole.headers.at("etag");
    CHECK(tag == '"' + digest.str() + '"');
    CHECK(worker.send("GET", path, "", {{"if-none-match", tag}}).status == 304);
    const auto part = worker.send("GET", path, "", {{"range", "bytes=299990-"}});
    CHECK(part.status == 206);
    CHECK(part.body == std::string(10, 'p'));
    CHECK(part.headers.at("content-range") == "bytes 299990-299999/300000");
    CHECK(worker.send("GET", path, "", {{"range", "bytes=300000-"}}).body == bytes);
    CHECK(worker.send("HEAD", path, "", {{"range", "bytes=0-9"}}).status == 200);

    const std::string other = "/api/v1/content/" + std::string(64, '0');
    CHECK(worker.upload(other + "?kind=product", file).status == 400);
    CHECK(worker.send("HEAD", other).status == 404);
    CHECK(worker.upload(path + "?kind=secret", file).status == 400);
    CHECK(worker.send("GET", "/api/v1/content/..%2f..%2fledger.db").status == 400);
    CHECK(worker.send("GET", "/api/v1/content/abc").status == 404);
    CHECK(service.client().send("GET", path).status == 401);
    // A product is no log: logs are open to readers.
    CHECK(service.client().send("GET", "/api/v1/logs/" + digest.str()).status == 404);
    CHECK(worker.upload(path + "?kind=log", file).status == 204);
}

TEST_CASE("Logs are readable as text", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    const auto file = service.folder().path / "log";
    std::ofstream(file) << "<script>hello";
    const auto digest = wire::sha256_file(file).str();
    CHECK(worker.upload("/api/v1/content/" + digest + "?kind=log", file).status == 204);
    const auto log = service.client().send("GET", "/api/v1/logs/" + digest);
    CHECK(log.body == "<script>hello");
    CHECK(log.headers.at("content-type") == "text/plain; charset=utf-8");
    CHECK(log.headers.at("x-content-type-options") == "nosniff");
}

TEST_CASE("Content over the limit is refused before and while it comes", "[service][http]") {
    Service service([](Config& config) { config.http.max_content_bytes = 1000; });
    const auto secret = service.token("worker-one", Scope::worker);
    const auto file = service.folder().path / "large";
    std::ofstream(file) << std::string(2000, 'x');
    const std::string path = "/api/v1/content/" + wire::sha256_file(file).str() + "?kind=log";
    CHECK(service.client(secret).upload(path, file).status == 413);
    RawSocket socket(service.port());
    socket.try_send(
        "PUT " + path + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + secret +
        "\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + std::string(2000, 'x') + "\r\n0\r\n\r\n");
    CHECK(status_of(socket.read_answer()) == 413);
    CHECK(std::filesystem::is_empty(service.folder().path / "content" / "tmp"));
}

TEST_CASE("A full disk refuses content and results with 507, and serves reads", "[service][http]") {
    Service service([](Config& config) { config.ledger.ballast_bytes = INT64_MAX / 2; });
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    const auto file = service.folder().path / "log";
    std::ofstream(file) << "x";
    const auto digest = wire::sha256_file(file).str();
    CHECK(worker.upload("/api/v1/content/" + digest + "?kind=log", file).status == 507);
    CHECK(service.client().send("GET", "/readyz").status == 503);
    CHECK(service.client().send("GET", "/api/v1/jobs").status == 200);
}

TEST_CASE("A worker's process, its containment and its key go over the wire", "[service][http]") {
    Service service;
    const auto worker = service.client(service.token("worker-one", Scope::worker));
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    auto body = wire::parse_json(claim_body(0), "claim");
    body["instance"] = "aaaa";
    body["containment"] = {{"sandbox", "bubblewrap"}, {"network", "none"}};
    const auto answer = worker.send("POST", claim_path, wire::write_json(body));
    REQUIRE(answer.status == 200);
    const auto lease = wire::parse_lease(wire::parse_json(answer.body, "lease"));
    CHECK_FALSE(lease.key.empty());
    const auto shown = service.client().send("GET", "/api/v1/workers").body;
    CHECK_THAT(
        shown, Catch::Contains(R"("containment":{"network":"none","sandbox":"bubblewrap"})"));
    const auto metrics = service.client().send("GET", "/metrics").body;
    CHECK_THAT(
        metrics,
        Catch::Contains("vigil_worker_contained{worker=\"worker-one\",layer=\"network\"} 0") &&
            Catch::Contains("vigil_worker_contained{worker=\"worker-one\",layer=\"sandbox\"} 1"));
    auto result = small_result(lease.builds.at(0).id);
    result.key = "of another ledger";
    const auto foreign =
        worker.send("PUT", attempt_path(lease, "result"), wire::write_json(wire::to_json(result)));
    CHECK(foreign.status == 409);
    CHECK_THAT(foreign.body, Catch::Contains("ledger before this one"));
    body["instance"] = "bbbb";
    const auto next = worker.send("POST", claim_path, wire::write_json(body));
    REQUIRE(next.status == 200);
    CHECK(wire::parse_lease(wire::parse_json(next.body, "lease")).attempt == 2);
    body["instance"] = "aaaa";
    CHECK(worker.send("POST", claim_path, wire::write_json(body)).status == 409);
}
