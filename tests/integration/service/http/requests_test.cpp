// What is asked to be measured, over HTTP.

#include "service/watch/requested/requests.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/store/work/night_jobs.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string base = "/api/v1/";

/// A project with two variants on one class, and a night of each of two builds.
void watch_sums(Config& config) {
    auto& project = config.projects.at("demo");
    for (const auto* variant : {"train", "infer"}) {
        BenchmarkPlan plan;
        plan.benchmark = "sum";
        plan.variant = variant;
        plan.command = {"./sum"};
        project.suites["core"].push_back(plan);
    }
    project.matrix.push_back({"core", {"small"}});
}

void add_nights(Service& service) {
    service.change([](Database& db) {
        add_small_job(db, 'c');
        db.execute(
            "INSERT INTO series(project_id, benchmark, variant, machine_class_id, metric, "
            "definition, unit, direction) VALUES (1, 'sum', 'train', 1, 'cpu_time_ns', 1, 'ns', "
            "'lower_is_better')");
        db.execute(
            "INSERT INTO worker(name, machine_class_id, state, fingerprint, toolchain, "
            "first_seen_at_s, last_seen_at_s) VALUES ('w', 1, 'active', '{}', 't', 1, 1)");
        add_verdicts(db);
        return 0;
    });
}

nlohmann::json reply(const http::Response& response) {
    CAPTURE(response.body);
    REQUIRE(response.status < 300);
    return wire::parse_json(response.body, "the reply");
}

struct Refused {
    std::string path;
    std::string body;
    int status;
    std::string says;
};

}  // namespace

TEST_CASE("Builds are named as people name them", "[service][api]") {
    Service service(watch_sums);
    add_nights(service);
    const auto writer = service.client(service.token("writer", Scope::trigger));
    const auto build_of = [&](const std::string& name) {
        const auto body = R"({"project":"demo","revision":")" + name + R"(","variant":"train"})";
        const auto id = reply(writer.send("POST", base + "runs", body)).at("request").dump();
        return reply(service.client().send("GET", base + "requests/" + id)).at("a_revision");
    };
    CHECK(build_of("aaaa") == hash_of('a'));
    CHECK(build_of(hash_of('b')) == hash_of('b'));
    CHECK(build_of("build/2") == hash_of('a'));
    CHECK(build_of("v2") == hash_of('a'));
    CHECK(build_of("2024-01-02.1") == hash_of('a'));
    CHECK(build_of("2024-01-02.2") == hash_of('b'));
    CHECK(build_of("some-branch").is_null());  // the source is asked
    CHECK(build_of("dddd").is_null());
}

TEST_CASE("What cannot be asked for is refused with a reason", "[service][api]") {
    Service service(watch_sums);
    add_nights(service);
    const auto writer = service.client(service.token("writer", Scope::trigger));
    const std::string ab = R"({"project":"demo","a":"aaaa","b":"bbbb")";
    const std::string range = R"({"project":"demo","good":"aaaa","bad":"bbbb")";
    const auto refused = GENERATE_COPY(
        Refused{"comparisons", "{", 400, "the body"},
        Refused{"comparisons", "[]", 400, "object"},
        Refused{"comparisons", R"({"project":"none","a":"aaaa","b":"bbbb"})", 404, "no project"},
        Refused{"comparisons", R"({"project":"demo","a":"aaaa"})", 400, "body.b"},
        Refused{"comparisons", R"({"project":"demo","a":"aaaa","b":7})", 400, "body.b"},
        Refused{"comparisons", R"({"project":"demo","a":"aaaa","b":"  "})", 400, "body.b"},
        Refused{"comparisons", R"({"project":"demo","a":"a\nb","b":"bbbb"})", 400, "body.a"},
        Refused{
            "comparisons",
            R"({"project":"demo","b":"bbbb","a":")" + std::string(300, 'a') + "\"}",
            400,
            "body.a"},
        Refused{"comparisons", R"({"project":"demo","a":"aaa","b":"bbbb"})", 400, "4 hex digits"},
        Refused{"comparisons", R"({"project":"demo","a":"2020-01-01","b":"bbbb"})", 400, "nights"},
        Refused{"comparisons", R"({"project":"demo","a":"build/99","b":"bbbb"})", 400, "build/99"},
        Refused{"comparisons", R"({"project":"demo","a":"2024-01-02","b":"bbbb"})", 400, "several"},
        Refused{"comparisons", R"({"project":"demo","a":"aaaa","b":"v2"})", 400, "both build 2"},
        Refused{"comparisons", ab + R"(,"variant":"trian"})", 400, R"(did you mean "train"?)"},
        Refused{"comparisons", ab + R"(,"metric":"speed"})", 400, "body.metric"},
        Refused{"comparisons", ab + R"(,"runs":0})", 400, "body.runs"},
        Refused{"comparisons", ab + R"(,"runs":100000})", 400, "body.runs"},
        Refused{"comparisons", ab + R"(,"x":1})", 400, "x"},
        Refused{"runs", R"({"project":"demo","revision":"aaaa","version":"v2"})", 400, "not both"},
        Refused{"bisections", range + "}", 400, "which series"},
        Refused{"bisections", range + R"(,"metric":"cpu_time_ns"})", 400, "one series"},
        Refused{"bisections", range + R"(,"series":99})", 404, "series"},
        Refused{"bisections", range + R"(,"series":1,"variant":"train"})", 400, "stands alone"});
    CAPTURE(refused.path, refused.body);
    const auto answer = writer.send("POST", base + refused.path, refused.body);
    CHECK(answer.status == refused.status);
    const auto problem = wire::parse_json(answer.body, "the problem");
    CHECK_THAT(problem.at("detail").get<std::string>(), Catch::Contains(refused.says));
    CHECK(reply(service.client().send("GET", base + "requests")).at("items").empty());
}

TEST_CASE("Only so much is asked for at once", "[service][api]") {
    Service service([](Config& config) {
        watch_sums(config);
        auto& suite = config.projects.at("demo").suites.at("core");
        for (int i = 0; i < 60; ++i) {
            suite.push_back(suite.front());
            suite.back().benchmark = "more" + std::to_string(i);
        }
    });
    add_nights(service);
    const auto writer = service.client(service.token("writer", Scope::trigger));
    const std::string wide = R"({"project":"demo","a":"aaaa","b":"bbbb"})";
    const auto answer = writer.send("POST", base + "comparisons", wide);
    CHECK(answer.status == 400);
    CHECK_THAT(answer.body, Catch::Contains("up to 2976 runs of 62 variants"));
    const std::string one = R"({"project":"demo","revision":"aaaa","benchmark":"more1"})";
    for (int i = 0; i < 100; ++i) {
        REQUIRE(writer.send("POST", base + "runs", one).status == 202);
    }
    CHECK(writer.send("POST", base + "runs", one).status == 409);
    CHECK(reply(writer.send("POST", base + "requests/1/cancel")).at("state") == "cancelled");
    CHECK(writer.send("POST", base + "requests/1/cancel").status == 409);
    CHECK(writer.send("POST", base + "requests/999/cancel").status == 404);
    CHECK(writer.send("POST", base + "runs", one).status == 202);
    const auto reader = service.client(service.token("reader", Scope::read));
    CHECK(reader.send("POST", base + "runs", one).status == 403);
}

TEST_CASE("A night's job is tried again while the night is measured", "[service][api]") {
    Service service(watch_sums);
    add_nights(service);
    const auto writer = service.client(service.token("writer", Scope::trigger));
    CHECK(writer.send("POST", base + "jobs/1/retry").status == 409);  // it waits
    service.change([](Database& db) {
        return db.execute("UPDATE job SET state = 'parked', nightly_id = 1 WHERE id = 1");
    });
    CHECK(writer.send("POST", base + "jobs/1/retry").status == 409);  // its night is done
    service.change([](Database& db) {
        return db.execute("UPDATE nightly SET state = 'measuring' WHERE id = 1");
    });
    const auto again = reply(writer.send("POST", base + "jobs/1/retry")).at("job");
    const auto job = reply(service.client().send("GET", base + "jobs/" + again.dump()));
    CHECK(job.at("state") == "queued");
    CHECK(job.at("nightly") == 1);
    CHECK(job.at("plan") == reply(service.client().send("GET", base + "jobs/1")).at("plan"));
    CHECK(writer.send("POST", base + "jobs/999/retry").status == 404);
}

TEST_CASE("A search is cancelled, a night's too", "[service][api]") {
    Service service(watch_sums);
    add_nights(service);
    const auto writer = service.client(service.token("writer", Scope::trigger));
    CHECK(reply(writer.send("POST", base + "bisections/1/cancel")).at("state") == "failed");
    CHECK(writer.send("POST", base + "bisections/1/cancel").status == 409);
    CHECK(writer.send("POST", base + "bisections/99/cancel").status == 404);
}
