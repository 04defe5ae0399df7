#pragma once

#include <fstream>
#include <string>

#include "tests/integration/service/http/asked.hpp"
#include "tests/integration/service/http/recorder.hpp"

// What the state of a thing does not allow, and what other programs send: workers, other harnesses,
// GitHub.

namespace vigil::service::testing {

/// Calls that are noted whatever they answer.
class Notes {
  public:
    Notes(Recorder& recorder, http::Client client)
        : recorder_(recorder), client_(std::move(client)) {}

    /// @param pattern  behind /api/v1/ @param path  the same; empty: the pattern
    http::Response operator()(
        int status,
        const std::string& method,
        const std::string& pattern,
        const std::string& path,
        const std::string& body = "",
        const http::Headers& fields = {}) {
        const std::string base = pattern.starts_with("/") ? "" : "/api/v1/";
        const auto target = base + (path.empty() ? pattern : path);
        const auto answer = client_.send(method, target, body, fields);
        CAPTURE(method, target, answer.body);
        CHECK(answer.status == status);
        recorder_.note(method, base + pattern, target, answer);
        return answer;
    }

  private:
    Recorder& recorder_;
    http::Client client_;
};

inline const std::string failed_answer =
    R"({"attempt":1,"runs":[{"run":0,"failure":"it did not begin"}]})";

/// After all that was seeded is over.
inline void conflict_over(Recorder& recorder) {
    Service service(measure_small);
    seed_all(service);
    Notes post(recorder, service.client(service.token("admin", Scope::admin)));
    const std::string reason = R"({"reason":"why"})";
    const std::string build = R"({"project":"demo","revision":"aaaa"})";
    post(409, "POST", "jobs/{id}/retry", "jobs/2/retry");
    post(409, "POST", "jobs/{id}/cancel", "jobs/1/cancel");
    post(409, "POST", "regressions/{id}/why", "regressions/1/why");
    post(409, "POST", "regressions/{id}/revert", "regressions/1/revert");
    post(409, "POST", "outbox/{id}/retry", "outbox/1/retry");
    post(409, "POST", "notices/{id}/retry", "notices/1/retry");
    post(409, "POST", "workers/{name}/release", "workers/worker-one/release", reason);
    post(409, "POST", "results", "results?project=demo", "{}");
    post(409, "POST", "jobs/{id}/answer", "jobs/1/answer", failed_answer);
    post(404, "POST", "jobs/{id}/answer", "jobs/999/answer", failed_answer);
    post(404, "POST", "workers/{name}/quarantine", "workers/none/quarantine", reason);
    post(404, "POST", "triggers", "", R"({"project":"none"})");
    post(404, "POST", "runs", "", R"({"project":"none","revision":"aaaa"})");
    post(404, "POST", "comparisons", "", R"({"project":"none","a":"aaaa","b":"bbbb"})");
    post(404, "POST", "bisections", "", R"({"project":"none","good":"aaaa","bad":"bbbb"})");
    // Its counters are others each time it is asked.
    post(304, "GET", "/metrics", "", "", {{"if-none-match", "*"}});
    post(409, "DELETE", "tokens/{name}", "tokens/admin");
    post(201, "POST", "tokens", "", R"({"name":"new","scope":"read"})");
    post(409, "POST", "tokens", "", R"({"name":"new","scope":"read"})");
    post(200, "POST", "bisections/{id}/cancel", "bisections/1/cancel");
    post(409, "POST", "bisections/{id}/cancel", "bisections/1/cancel");
    post(202, "POST", "projects/{name}/backfills", "projects/demo/backfills");
    post(409, "POST", "projects/{name}/backfills", "projects/demo/backfills", R"({"nights":3})");
    const auto soon = std::to_string(SystemClock().now_s() + 9000);
    const std::string mute = R"({"reason":"why","until_s":)" + soon + "}";
    post(201, "POST", "series/{id}/mute", "series/1/mute", mute);
    post(200, "POST", "mutes/{id}/end", "mutes/1/end", reason);
    post(409, "POST", "mutes/{id}/end", "mutes/1/end", reason);
    post(409, "POST", "series/{id}/missed", "series/1/missed", R"({"since":"2"})");
    post(404, "POST", "series/{id}/missed", "series/1/missed", R"({"since":"99"})");
    service.change([](Database& db) {
        db.execute(
            "INSERT INTO request(project_id, kind, state, a, b, asked, token, created_at_s)"
            " VALUES (1, 'comparison', 'done', 'a', 'a', '{}', 'admin', 1)");
        return db.execute(
            "INSERT INTO missed(project_id, series_id, nightly_id, good_nightly_id, token, state,"
            " request_id, created_at_s) VALUES (1, 1, 2, 1, 'admin', 'confirmed', 1, 1)");
    });
    post(409, "DELETE", "missed/{id}", "missed/1");
    service.change([](Database& db) {
        db.execute("UPDATE regression SET state = 'closed'");
        return db.execute("UPDATE nightly SET beside = 'asked' WHERE id = 1");
    });
    post(409, "POST", "regressions/{id}/mute", "regressions/1/mute", mute);
    const auto state = R"({"state":"accepted","reason":"why"})";
    post(409, "POST", "regressions/{id}/state", "regressions/1/state", state);
    post(409, "POST", "nights/{id}/withdraw", "nights/1/withdraw", reason);
    post(202, "POST", "runs", "", build);
    post(200, "POST", "requests/{id}/cancel", "requests/2/cancel");
    post(409, "POST", "requests/{id}/cancel", "requests/2/cancel");
    // As many are open as may be.
    service.change([](Database& db) {
        return db.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)"
            " INSERT INTO request(project_id, kind, state, a, b, asked, token, created_at_s)"
            " SELECT 1, 'run', 'naming', 'a', 'a', '{}', 'admin', 1 FROM n");
    });
    post(409, "POST", "runs", "", build);
    const auto ab = R"({"project":"demo","a":"aaaa","b":"bbbb"})";
    post(409, "POST", "comparisons", "", ab);
    const auto range = R"({"project":"demo","good":"aaaa","bad":"bbbb","series":1})";
    post(409, "POST", "bisections", "", range);
}

inline std::string claim_of(int protocol) {
    return wire::write_json(
        {{"protocol", protocol},
         {"fingerprint", wire::to_json(small_machine())},
         {"wait_s", 0},
         {"draining", false}});
}

/// A job from its claim to its result, and content.
inline void serve_workers(Recorder& recorder) {
    Service service([](Config& config) {
        const auto key = config.state_dir + "/s3.key";
        std::ofstream(key) << "id\nsecret\n";
        config.object_store = {"http://127.0.0.1:9", "bucket", "r", key, true, 60};
    });
    const auto secret = service.token("worker-one", Scope::worker);
    Notes worker(recorder, service.client(secret));
    const std::string claim = "worker/claim";
    worker(204, "POST", claim, "", claim_of(protocol_version));
    worker(409, "POST", claim, "", claim_of(0));
    service.change([](Database& db) { return add_small_job(db, 'c'); });
    const auto answer = worker(200, "POST", claim, "", claim_of(protocol_version));
    const auto lease = wire::parse_lease(wire::parse_json(answer.body, "the lease"));
    const std::string pattern = "worker/jobs/{id}/attempts/{attempt}/";
    const std::string path = "worker/jobs/" + to_string(lease.job) + "/attempts/1/";
    const auto result = wire::write_json(wire::to_json(small_result(lease.builds.at(0).id)));
    worker(200, "POST", pattern + "heartbeat", path + "heartbeat", "{}");
    worker(409, "PUT", pattern + "result", path + "result", result);
    put_small_product(service.client(secret));
    worker(204, "PUT", pattern + "result", path + "result", result);
    worker(409, "POST", pattern + "heartbeat", path + "heartbeat", "{}");
    const std::string other = "worker/jobs/" + to_string(lease.job) + "/attempts/2/";
    worker(409, "PUT", pattern + "result", other + "result", result);

    const auto digest = wire::sha256("a log").str();
    const http::Headers binary{{"content-type", "application/octet-stream"}};
    const auto content = "content/" + digest;
    worker(204, "PUT", "content/{digest}", content + "?kind=log", "a log", binary);
    const auto tag = worker(200, "GET", "content/{digest}", content).headers;
    worker(400, "PUT", "content/{digest}", content + "?kind=log", "another", binary);
    Notes reader(recorder, service.client());
    const auto log = reader(200, "GET", "logs/{digest}", "logs/" + digest).headers;
    const auto same = [](const http::Headers& fields) {
        return http::Headers{{"if-none-match", fields.at("etag")}};
    };
    worker(304, "GET", "content/{digest}", content, "", same(tag));
    worker(206, "GET", "content/{digest}", content, "", {{"range", "bytes=1-2"}});
    worker(200, "GET", "content/{digest}", content + "?redirect=true");
    service.change([&](Database& db) {
        return db.execute(
            "INSERT INTO object_copy VALUES ('http://127.0.0.1:9/bucket', ?1, 1)", digest);
    });
    const auto there = worker(307, "GET", "content/{digest}", content + "?redirect=true").headers;
    CHECK(there.at("location").starts_with("http://127.0.0.1:9/bucket/" + digest + "?X-Amz-"));
    worker(400, "GET", "content/{digest}", content + "?redirect=false");
    worker(200, "GET", "content/{digest}", content);
    reader(304, "GET", "logs/{digest}", "logs/" + digest, "", same(log));
    reader(406, "GET", "logs/{digest}", "logs/" + digest, "", {{"accept", "no/such"}});
}

/// A disk without room, and no seat for a listener.
inline void run_short(Recorder& recorder) {
    Service service([](Config& config) {
        config.ledger.ballast_bytes = INT64_MAX / 2;
        config.http.max_listeners = 0;
    });
    Notes worker(recorder, service.client(service.token("worker-one", Scope::worker)));
    const auto path = "content/" + hash_of('e', 64) + "?kind=log";
    worker(507, "PUT", "content/{digest}", path, "a log");
    const std::string result = "worker/jobs/{id}/attempts/{attempt}/result";
    worker(507, "PUT", result, "worker/jobs/1/attempts/1/result", "{}");
    Notes guest(recorder, service.client());
    guest(503, "GET", "/readyz", "");
    guest(503, "GET", "events/stream", "");
    Notes sender(recorder, service.client(service.token("sender", Scope::ingest)));
    sender(507, "POST", "results", "results?project=demo", "{}");
}

inline void hear_others(Recorder& recorder) {
    Service service([](Config& config) {
        const auto file = std::filesystem::path(config.state_dir) / "secret";
        std::ofstream(file) << "a secret\n";
        config.webhook = WebhookConfig{file.string(), {{"owner/name", "demo"}}};
        config.projects["far"].name = "far";
        config.projects["far"].source.kind = SourceKind::elsewhere;
    });
    Notes github(recorder, service.client());
    const auto deliver = [&](int status, const std::string& body, const std::string& secret) {
        const http::Headers fields{
            {"x-github-delivery", "d1"},
            {"x-github-event", "ping"},
            {"x-hub-signature-256", "sha256=" + wire::hmac_sha256_hex(secret, body)}};
        github(status, "POST", "/hooks/github", "", body, fields);
    };
    deliver(401, "{}", "another secret");
    deliver(202, "{}", "a secret");
    deliver(409, "{ }", "a secret");
    Notes sender(recorder, service.client(service.token("sender", Scope::ingest)));
    const std::string bmf = R"({"sort": {"latency": {"value": 12.5}}})";
    const auto target = "results?project=far&machine_class=ci&revision=" + hash_of('1');
    const http::Headers text{{"content-type", "text/plain"}};
    sender(201, "POST", "results", target, bmf, text);
    sender(200, "POST", "results", target, bmf, text);
    sender(404, "POST", "results", "results?project=none", bmf, text);
    sender(422, "POST", "results", target, std::string(200, '['), text);
    const Service closed;
    Notes nobody(recorder, closed.client());
    nobody(404, "POST", "/hooks/github", "", "{}");
}

/// A run that was asked for elsewhere is answered, and answered again.
inline void answer_runs(Recorder& recorder) {
    Service service(
        [](Config& config) { config.projects.at("demo").source.kind = SourceKind::elsewhere; });
    service.change([&](Database& db) {
        add_small_job(db, 'c');
        const auto worker =
            upsert_worker(db, service.config(), "worker-one", small_machine(), false, 100);
        return claim_job(db, service.config(), worker, 100).has_value();
    });
    Notes sender(recorder, service.client(service.token("sender", Scope::ingest)));
    sender(201, "POST", "jobs/{id}/answer", "jobs/1/answer", failed_answer);
    sender(200, "POST", "jobs/{id}/answer", "jobs/1/answer", failed_answer);
    const auto runs = R"({"attempt":1,"runs":[{"run":0,"report":")";
    const auto deep = runs + std::string(200, '[') + R"("}]})";
    sender(422, "POST", "jobs/{id}/answer", "jobs/1/answer", deep);
}

/// What was sent is listed and taken back, but for what is not decided.
inline void undo_imports(Recorder& recorder) {
    Service service([](Config& config) {
        config.projects["far"].name = "far";
        config.projects["far"].source.kind = SourceKind::elsewhere;
    });
    Notes sender(recorder, service.client(service.token("sender", Scope::ingest)));
    const http::Headers text{{"content-type", "text/plain"}};
    const auto send = [&](char digit) {
        const auto target = "results?project=far&machine_class=ci&revision=" + hash_of(digit);
        sender(201, "POST", "results", target, R"({"sort": {"latency": {"value": 12.5}}})", text);
    };
    send('1');
    send('2');
    Notes admin(recorder, service.client(service.token("admin", Scope::admin)));
    const auto one = admin(200, "GET", "imports/{id}", "imports/2").headers;
    admin(304, "GET", "imports/{id}", "imports/2", "", {{"if-none-match", one.at("etag")}});
    admin(406, "GET", "imports/{id}", "imports/2", "", {{"accept", "no/such"}});
    admin(200, "GET", "imports", "imports?project=far&machine_class=ci");
    service.change([](Database& db) {
        return db.execute(
            "INSERT INTO suspicion (series_id, nightly_id, good_nightly_id, kind, state, base, "
            "value,"
            " change_ratio, reason, created_at_s) SELECT 1, import.nightly_id, import.nightly_id,"
            " 'level', 'open', 1.0, 1.2, 0.2, 'above the threshold', 100 FROM import WHERE id = 1");
    });
    admin(409, "POST", "imports/{id}/undo", "imports/1/undo");
    const std::string undo = "imports/{id}/undo";
    admin(412, "POST", undo, "imports/2/undo", "", {{"if-match", "\"of-old\""}});
    const http::Headers key{{"idempotency-key", "k"}};
    admin(200, "POST", undo, "imports/2/undo", R"({"reason":"of a branch"})", key);
    admin(422, "POST", undo, "imports/2/undo", R"({"reason":"another"})", key);
    admin(404, "POST", "imports/{id}/undo", "imports/2/undo");
}

inline void conflict_all(Recorder& recorder) {
    conflict_over(recorder);
    serve_workers(recorder);
    run_short(recorder);
    hear_others(recorder);
    answer_runs(recorder);
    undo_imports(recorder);
}

}  // namespace vigil::service::testing
