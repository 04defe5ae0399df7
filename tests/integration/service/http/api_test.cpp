// Every read route against openapi.yaml, and the writes of people and of GitHub.

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/wire/json.hpp"
#include "service/api/route.hpp"
#include "service/http/auth.hpp"
#include "tests/integration/service/http/asked.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string source_dir = VIGIL_SOURCE_DIR;

struct Recorder {
    explicit Recorder(http::Client caller) : client(std::move(caller)) {}

    void call(
        const std::string& method,
        const std::string& pattern,
        const std::string& path,
        const std::string& body = "") {
        const auto answer = client.send(method, path, body);
        CAPTURE(method, path, answer.body);
        CHECK(answer.status < 300);
        note(method, pattern, path, answer);
    }

    /// What is refused is described too.
    void refused(const std::string& method, const std::string& pattern, int status) {
        std::string path = pattern;
        for (auto at = path.find('{'); at != path.npos; at = path.find('{')) {
            path.replace(at, path.find('}') - at + 1, "999");
        }
        const auto answer = client.send(method, path, method == "GET" ? "" : "[]");
        CAPTURE(method, path, answer.body);
        CHECK(answer.status >= status);
        CHECK(answer.status < 500);
        note(method, pattern, path, answer);
    }

    void note(
        const std::string& method,
        const std::string& pattern,
        const std::string& path,
        const http::Response& answer) {
        nlohmann::json exchange = {
            {"method", method == "HEAD" ? "GET" : method}, {"pattern", pattern}};
        exchange["status"] = answer.status;
        const auto type = answer.headers.find("content-type");
        exchange["content_type"] = type == answer.headers.end() ? "" : type->second;
        const auto media = exchange["content_type"].get<std::string>();
        const bool json = media == "application/json" || media == "application/problem+json";
        exchange["body"] = json ? wire::parse_json(answer.body, path) : nlohmann::json(answer.body);
        exchange["query"] = http::parse_target(path)->query;
        exchanges.push_back(exchange);
    }

    http::Client client;
    nlohmann::json exchanges = nlohmann::json::array();
};

nlohmann::json route_names() {
    auto names = nlohmann::json::array();
    for (const auto& route : all_routes()) {
        auto scopes = nlohmann::json::array();
        for (const auto scope : scopes_of(route.access)) scopes.push_back(to_string(scope));
        names.push_back({route.method, route.pattern, scopes});
    }
    return names;
}

std::string signed_with(const std::string& secret, const std::string& body) {
    return "sha256=" + wire::hmac_sha256_hex(secret, body);
}

constexpr const char* pages_with_items =
    "audit jobs mutes runs suspicions drifts storms troubles canaries regressions bisections "
    "reports nightlies builds series events triggers deliveries outbox series/1/nights workers";

constexpr std::array queries{
    "history?after=2&nights=3&limit=2",
    "suspicions?waiting=1&series=1&nightly=1&metric=wall_time_ns",
    "troubles?kind=source.failed&state=ended&since_s=1&until_s=9",
    "events?after=5&kind=job.leased&subject=job/1",
    "regressions?culprit=BBBB&state=reported",
    "builds?revision=bbbb&limit=500"};

void withdraw_nights(Recorder& recorder) {
    const std::string base = "/api/v1/";
    for (const std::string verb : {"withdraw", "restore"}) {
        const auto body = R"({"reason":"wrong driver"})";
        recorder.call("POST", base + "nights/{id}/" + verb, base + "nights/1/" + verb, body);
    }
    recorder.call(
        "POST", base + "nights/{id}/withdraw", base + "nights/2/withdraw", R"({"reason":"hot"})");
    recorder.call("GET", base + "nightlies/{id}", base + "nightlies/2");
    recorder.call("GET", base + "nightlies", base + "nightlies?nightly=2");
}

void fill_back(Recorder& recorder) {
    const std::string base = "/api/v1/";
    for (const auto* body : {R"({"nights":5,"dry_run":true})", R"({"runs_budget":100})"}) {
        const std::string path = base + "projects/demo/backfills";
        recorder.call("POST", base + "projects/{name}/backfills", path, body);
    }
    recorder.call("GET", base + "backfills", base + "backfills?state=listing&project=demo");
    recorder.call("GET", base + "backfills/{id}", base + "backfills/1");
    const auto cancel = base + "backfills/{id}/cancel";
    recorder.call("POST", cancel, base + "backfills/1/cancel");
    recorder.call("POST", cancel, base + "backfills/1/cancel");
}

/// What people decide.
void decide(Recorder& recorder) {
    const std::string base = "/api/v1/";
    const std::string mute = R"({"reason":"in review","until":"2100-01-01"})";
    const auto soon = std::to_string(SystemClock().now_s() + 9000);
    const std::string mute_soon = R"({"reason":"in review","owner":"ada","until_s":)" + soon + "}";
    const auto post = [&](const std::string& of, const std::string& verb, const std::string& body) {
        const auto slash = of.find('/');
        const auto id = of.starts_with("workers") ? "/{name}/" : "/{id}/";
        recorder.call("POST", base + of.substr(0, slash) + id + verb, base + of + "/" + verb, body);
    };
    post("regressions/1", "assign", R"({"to":"ada"})");
    post("regressions/1", "mute", mute_soon);
    post("series/1", "mute", mute_soon);
    post("mutes/1", "end", R"({"reason":"the fix is in"})");
    post("workers/worker-one", "quarantine", R"({"reason":"its fan"})");
    post("workers/worker-one", "release", R"({"reason":"it turns"})");
    CHECK(recorder.client.send("POST", base + "series/1/mute", mute).status == 400);
    recorder.call("GET", base + "mutes/{id}", base + "mutes/1");
    recorder.call("GET", base + "mutes", base + "mutes?state=ended&regression=1&owner=ada");
    recorder.call("GET", base + "regressions", base + "regressions?assigned=ada&muted=false");
    recorder.call("GET", base + "regressions/{id}", base + "regressions/1");
}

/// Every route that reads and names no thing.
void call_lists(Recorder& recorder) {
    for (const auto& route : all_routes()) {
        const std::string pattern(route.pattern);
        const bool one = pattern.find('{') != pattern.npos;
        if (route.method != "GET" || one) continue;
        if (route.place == WorkPlace::stream) {
            recorder.call("HEAD", pattern, pattern);  // it has no end
        } else {
            recorder.call("GET", pattern, pattern);
        }
    }
}

/// Every route that names a thing, or changes one, asked for what is not there.
void call_refused(Recorder& recorder) {
    for (const auto& route : all_routes()) {
        const std::string pattern(route.pattern);
        const bool changes = route.method == "POST" || route.method == "PUT";
        const bool names = pattern.find('{') != pattern.npos;
        if (names || changes) recorder.refused(std::string(route.method), pattern, 400);
    }
}

/// Holds what was recorded against openapi.yaml, both ways.
void check_exchanges(const Service& service, const Recorder& recorder) {
    const auto file = service.folder().path / "exchanges.json";
    const nlohmann::json facts = {
        {"routes", route_names()},
        {"protocol", protocol_version},
        {"exchanges", recorder.exchanges}};
    std::ofstream(file) << wire::write_json(facts);
    const auto report = service.folder().path / "report";
    const std::string command = "/usr/bin/python3 " + source_dir +
                                "/tests/integration/service/http/check_openapi.py " + source_dir +
                                "/schema/http/openapi.yaml " + file.string() + " > " +
                                report.string() + " 2>&1";
    const int status = std::system(command.c_str());
    std::ifstream lines(report);
    const std::string text{std::istreambuf_iterator<char>(lines), {}};
    INFO(text);
    CHECK(status == 0);
}

}  // namespace

TEST_CASE("Every route is described in openapi.yaml, and every reply fits", "[service][api]") {
    Service service(measure_small);
    seed_all(service);
    Recorder recorder(service.client(service.token("admin", Scope::admin)));
    call_lists(recorder);
    call_refused(recorder);
    const std::string base = "/api/v1/";
    for (const std::string name :
         {"nightlies",
          "builds",
          "jobs",
          "runs",
          "series",
          "regressions",
          "bisections",
          "reports",
          "outbox",
          "deliveries",
          "triggers"}) {
        recorder.call("GET", base + name + "/{id}", base + name + "/1");
    }
    for (const std::string query : queries) {
        recorder.call("GET", base + query.substr(0, query.find('?')), base + query);
    }
    recorder.call("GET", base + "reports/{id}", base + "reports/2");
    recorder.call("GET", base + "nights/{id}/summary", base + "nights/2/summary");
    recorder.call("GET", base + "series/{id}/nights", base + "series/1/nights?purpose=confirm");
    service.change([](Database& db) { return db.execute("UPDATE outbox SET state = 'dead'"); });
    recorder.call("POST", base + "outbox/{id}/retry", base + "outbox/1/retry");
    recorder.call("GET", base + "projects/{name}/badge.svg", base + "projects/demo/badge.svg");
    withdraw_nights(recorder);
    fill_back(recorder);
    recorder.call("POST", base + "triggers", base + "triggers", R"({"project":"demo"})");
    recorder.call("POST", base + "jobs/{id}/cancel", base + "jobs/2/cancel");
    ask_for_measurements(service, [&](const auto&... asked) { recorder.call(asked...); });
    recorder.call("POST", base + "reports/{id}/retry", base + "reports/1/retry");
    recorder.call("POST", base + "tokens", base + "tokens", R"({"name":"new","scope":"read"})");
    recorder.call("DELETE", base + "tokens/{name}", base + "tokens/new");
    recorder.call(
        "POST",
        base + "regressions/{id}/state",
        base + "regressions/1/state",
        R"({"state":"acknowledged","reason":"seen"})");
    decide(recorder);
    recorder.call("GET", base + "audit", base + "audit?who=admin&object=regression/1");
    std::istringstream pages{pages_with_items};
    for (std::string page; pages >> page;) {
        CAPTURE(page);
        CHECK_FALSE(json_of(recorder.client.send("GET", base + page)).at("items").empty());
    }
    check_exchanges(service, recorder);
}

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
          "vigil_nightly_age_seconds{project=\"demo\"}"}) {
        CAPTURE(line, text);
        CHECK(text.find(line) != std::string::npos);
    }
    CHECK(service.client().send("GET", "/readyz").status == 200);
}
