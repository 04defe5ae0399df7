// What REST tells of searches.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/store/findings/bisections.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

TEST_CASE("A bisection inside of a merge says which, and is found from outside", "[service][api]") {
    Service service;
    seed_all(service);
    service.change([](Database& db) {
        return db.execute(
            "INSERT INTO bisection (project_id, nightly_id, good_revision, bad_revision, state, "
            "planner, settings, created_at_s, outer_id, merge, parent, regression_id) "
            "SELECT project_id, nightly_id, good_revision, bad_revision, 'listing', 1, '{}', 110, "
            "1, ?1, 2, 1 FROM bisection WHERE id = 1",
            hash_of('b'));
    });
    const auto inner = json_of(service.client().send("GET", "/api/v1/bisections/2"));
    CHECK(inner.at("outer") == 1);
    CHECK(inner.at("merge") == hash_of('b'));
    CHECK(inner.at("parent") == 2);
    CHECK(inner.at("regressions") == nlohmann::json{1});
    const auto outer = json_of(service.client().send("GET", "/api/v1/bisections/1"));
    CHECK(outer.at("outer").is_null());
    CHECK(outer.at("inner") == nlohmann::json{2});
    CHECK(outer.at("suspects").at(0).at("brought") == nlohmann::json::array());
}

TEST_CASE("A nightly that does not build says which commit broke it", "[service][api]") {
    Service service;
    seed_all(service);
    CHECK(json_of(service.client().send("GET", "/api/v1/nightlies/1")).at("broken_by").is_null());
    service.change([](Database& db) {
        return db.execute(
            "UPDATE bisection SET kind = 'build', state = 'done', log_tail = 'no such file', "
            "conclusion = '{\"summary\":\"it failed 2 times\",\"posterior\":[],\"endings\":[{"
            "\"series\":0,\"ending\":\"culprit\",\"first\":1,\"last\":1,\"parent\":0,"
            "\"probability\":1,\"verified\":{},\"reason\":\"\"}]}' WHERE id = 1");
    });
    const auto bisection = json_of(service.client().send("GET", "/api/v1/bisections/1"));
    CHECK(bisection.at("kind") == "build");
    CHECK(bisection.at("log_tail") == "no such file");
    const auto path = "/api/v1/nightlies/" + bisection.at("nightly").dump();
    const auto broken = json_of(service.client().send("GET", path)).at("broken_by");
    CHECK(broken.at("bisection") == 1);
    CHECK(broken.at("revision") == hash_of('b'));
    CHECK(broken.at("subject") == "subject");
    CHECK(broken.at("log_tail") == "no such file");
}

TEST_CASE("The ledger's inner form of a search is not published", "[service][api]") {
    Service service;
    seed_all(service);
    const auto load = [&] { return json_of(service.client().send("GET", "/api/v1/bisections/1")); };
    service.change([](Database& db) {
        note_conclusion(db, BisectionId{1}, small_conclusion());
        return 0;
    });
    const auto before = load();
    CHECK(before.at("conclusion").at("endings").at(0).at("ending") == "culprit");
    CHECK(before.at("settings").at("series") == nlohmann::json{1});
    CHECK(before.at("probes").at(0).at("plan").at("purpose") == "search");
    service.change([](Database& db) {
        db.execute("UPDATE probe SET plan = json_insert(plan, '$.inner', 1)");
        return db.execute(
            "UPDATE bisection SET settings = json_insert(settings, '$.inner', 1, "
            "'$.specs[0].inner', 1), conclusion = json_insert(conclusion, '$.inner', 1, "
            "'$.endings[0].inner', 1, '$.endings[0].remaining.inner', 1)");
    });
    CHECK(load() == before);
}

TEST_CASE("A row that lacks something is published as null", "[service][api]") {
    Service service;
    seed_all(service);
    service.change([](Database& db) {
        db.execute("UPDATE job SET plan = '{}'");
        db.execute("UPDATE probe SET plan = 'no JSON'");
        return db.execute("UPDATE bisection SET settings = json_remove(settings, '$.series')");
    });
    const auto bisection = json_of(service.client().send("GET", "/api/v1/bisections/1"));
    CHECK(bisection.at("settings").is_null());
    CHECK(bisection.at("probes").at(0).at("plan").is_null());
    CHECK(bisection.at("conclusion").at("endings") == nlohmann::json::array());
    CHECK(json_of(service.client().send("GET", "/api/v1/jobs/1")).at("plan").is_null());
}
