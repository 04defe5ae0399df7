// Lists as programs and people want them, and the queries for reports of regressions.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/schedule/worker_state.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;
using Catch::Contains;
using Catch::StartsWith;

namespace {

const std::string list = "/api/v1/regressions";

/// With one regression of series 1, whose culprit's subject a spreadsheet would compute.
void seed_regression(Service& service) {
    service.change([&](Database& db) {
        add_small_job(db, 'c');
        const auto worker =
            upsert_worker(db, service.config(), "worker-one", small_machine(), false, 100);
        const auto lease = claim_job(db, service.config(), worker, 100);
        const auto result = write_result(small_result(lease->builds.at(0).id));
        finish_job(db, JobConfig{}, lease->job, lease->attempt, worker, result, 101);
        add_verdicts(db);
        db.execute("UPDATE suspect SET subject = '=1+1, \"quoted\"'");
        return 0;
    });
}

std::size_t found(Service& service, const std::string& query) {
    const auto reply = service.client().send("GET", list + query);
    CAPTURE(query, reply.body);
    REQUIRE(reply.status == 200);
    return wire::parse_json(reply.body, "the reply").at("items").size();
}

std::string refusal(Service& service, const std::string& query) {
    const auto reply = service.client().send("GET", list + query);
    CAPTURE(query, reply.body);
    CHECK(reply.status == 400);
    return reply.body;
}

}  // namespace

TEST_CASE("A list is a table where one is asked for", "[service][api]") {
    Service service;
    seed_regression(service);
    const auto client = service.client();
    const auto csv = client.send("GET", list + "?format=csv");
    CHECK(csv.headers.at("content-type") == "text/csv; charset=utf-8");
    CHECK_THAT(
        csv.body,
        StartsWith("id,project,state,created_at_s,culprit,culprit_commit_author,"
                   "culprit_commit_subject,series,worst_benchmark,"));
    CHECK_THAT(
        csv.body,
        Contains(
            "\r\n1,demo,reported,100," + hash_of('b') +
            ",Author One,\"'=1+1, \"\"quoted\"\"\",1,"));
    CHECK(client.send("GET", list, "", {{"accept", "text/csv"}}).body == csv.body);
    const auto lines = client.send("GET", list + "?format=ndjson");
    CHECK(lines.headers.at("content-type") == "application/x-ndjson");
    const auto one = wire::parse_json(lines.body, "the line");
    CHECK(one.at("worst").at("change_ratio") == 0.2);
    CHECK(one.at("worst").at("before").is_null());
    const auto table = client.send("GET", list + "?format=markdown");
    CHECK_THAT(table.body, StartsWith("| id | project | state |"));
    CHECK_THAT(client.send("GET", "/api/v1/jobs?format=csv").body, StartsWith("id,"));
    CHECK(client.send("GET", list + "?format=xml").status == 400);
    CHECK(client.send("GET", "/api/v1/regressions/1?format=csv").status == 400);
}

TEST_CASE("A list has the form that is wanted most, and a named one whatever", "[service][api]") {
    Service service;
    seed_regression(service);
    const auto client = service.client();
    const auto type = [&](const std::string& query, const char* accept) {
        const auto answer = client.send("GET", list + query, "", {{"accept", accept}});
        CAPTURE(query, accept, answer.body);
        return answer.status == 200 ? answer.headers.at("content-type")
                                    : std::to_string(answer.status);
    };
    CHECK(type("", "text/html, */*;q=0.8") == "application/json");
    CHECK(type("", "text/csv") == "text/csv; charset=utf-8");
    CHECK(type("", "text/csv, */*") == "text/csv; charset=utf-8");
    CHECK(type("", "text/markdown;q=0.5, text/csv;q=0.6") == "text/csv; charset=utf-8");
    CHECK(type("", "text/csv;q=0, application/json;q=0.1") == "application/json");
    CHECK(type("", "text/html") == "406");
    CHECK(type("?format=csv", "application/json") == "text/csv; charset=utf-8");
}

TEST_CASE("A list says where its next page is", "[service][api]") {
    Service service;
    service.change([](Database& db) {
        for (const char name : {'1', '2', '3'}) add_small_job(db, name);
        return 0;
    });
    const auto client = service.client();
    const auto first = client.send("GET", "/api/v1/jobs?limit=2&state=queued&format=csv");
    const auto link = first.headers.at("link");
    CHECK_THAT(
        link, StartsWith("</api/v1/jobs?cursor=") && Contains("&state=queued>; rel=\"next\""));
    const auto last = client.send("GET", link.substr(1, link.find('>') - 1));
    CHECK(std::count(last.body.begin(), last.body.end(), '\n') == 2);
    CHECK_FALSE(last.headers.contains("link"));
}

TEST_CASE("Regressions are found by state, author, variant and day", "[service][api]") {
    Service service;
    seed_regression(service);
    CHECK(found(service, "?state=open") == 1);
    CHECK(found(service, "?state=range,reported") == 1);
    CHECK(found(service, "?state=range,closed") == 0);
    CHECK(found(service, "?author=one") == 1);
    CHECK(found(service, "?author=two") == 0);
    CHECK(found(service, "?since=1970-01-01&until=1970-01-02T00:00Z") == 1);
    CHECK(found(service, "?since=1970-01-01T00:02") == 0);
    const auto series =
        wire::parse_json(service.client().send("GET", "/api/v1/series").body, "series")
            .at("items")
            .at(0);
    const auto variant = series.at("variant").get<std::string>();
    CHECK(found(service, "?machine_class=small&variant=" + variant) == 1);
    CHECK_THAT(refusal(service, "?state=opne"), Contains("choices"));
    CHECK_THAT(refusal(service, "?state="), Contains("choices"));
    CHECK_THAT(refusal(service, "?since=yesterday"), Contains("a day like"));
    CHECK_THAT(refusal(service, "?since=1970-01-01&since_s=1"), Contains("not both"));
    CHECK_THAT(refusal(service, "?since=1970-01-02&until=1970-01-01"), Contains("before"));
}
