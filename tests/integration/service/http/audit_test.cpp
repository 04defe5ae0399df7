// Who changed what, from where and why: one row with each change.

#include "service/api/audit.hpp"

#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/store/audit.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string state_of_first = "/api/v1/regressions/1/state";
const std::string accept_body = R"({"state":"accepted","reason":"the price of the check"})";

nlohmann::json audit_of(const http::Client& admin, const std::string& query = "") {
    const auto reply = admin.send("GET", "/api/v1/audit" + query);
    CAPTURE(reply.body);
    REQUIRE(reply.status == 200);
    return wire::parse_json(reply.body, "the reply").at("items");
}

std::string state_of(Service& service) {
    return service.change([](Database& db) {
        return db.find<std::string>("SELECT state FROM regression WHERE id = 1").value();
    });
}

}  // namespace

TEST_CASE("A change says who made it, from where and why", "[service][http]") {
    Service service;
    seed_all(service);
    const auto admin = service.client(service.token("ada", Scope::admin));
    REQUIRE(
        admin.send("POST", state_of_first, accept_body, {{"x-request-id", "mine-1"}}).status ==
        200);
    REQUIRE(admin.send("POST", "/api/v1/triggers", R"({"project":"demo"})").status == 202);
    REQUIRE(admin.send("POST", "/api/v1/tokens", R"({"name":"t1","scope":"read"})").status == 201);
    REQUIRE(admin.send("DELETE", "/api/v1/tokens/t1").status == 204);
    const auto rows = audit_of(admin);
    REQUIRE(rows.size() == 4);
    CHECK(rows[3].at("who") == "ada");
    CHECK(rows[3].at("address") == "127.0.0.1");
    CHECK(rows[3].at("action") == "regression.state");
    CHECK(rows[3].at("object") == "regression/1");
    CHECK(rows[3].at("reason") == "the price of the check");
    CHECK(rows[3].at("asked") == nlohmann::json({{"state", "accepted"}}));
    CHECK(rows[3].at("request_id") == "mine-1");
    CHECK(rows[2].at("action") == "trigger.add");
    CHECK(rows[2].at("object") == "trigger/2");
    CHECK(rows[1].at("action") == "token.add");
    CHECK(rows[1].at("object") == "token/t1");
    CHECK(rows[0].at("action") == "token.remove");
    CHECK(rows[0].at("object") == "token/t1");
    CHECK(audit_of(admin, "?object=token/t1").size() == 2);
    CHECK(audit_of(admin, "?action=trigger.add&who=ada").size() == 1);
    CHECK(audit_of(admin, "?until_s=5").empty());
    const auto slip = admin.send("GET", "/api/v1/audit?action=trigger.ad");
    CHECK(slip.status == 400);
    CHECK(slip.body.find("did you mean") != slip.body.npos);
    CHECK(admin.send("GET", "/api/v1/audit?who=adam").status == 400);
    const auto reader = service.client(service.token("reader", Scope::read));
    CHECK(reader.send("GET", "/api/v1/audit").status == 403);
}

TEST_CASE("Two tokens of one name are two in the audit log", "[service][http]") {
    Service service;
    seed_all(service);
    const auto admin = service.client(service.token("ops", Scope::admin));
    for (const int times : {1, 2}) {
        const auto ada = service.client(service.token("ada", Scope::trigger));
        REQUIRE(ada.send("POST", "/api/v1/triggers", R"({"project":"demo"})").status == 202);
        REQUIRE(admin.send("DELETE", "/api/v1/tokens/ada").status == 204);
        CHECK(audit_of(admin, "?who=ada").size() == static_cast<std::size_t>(times));
    }
    const auto rows = audit_of(admin, "?who=ada");
    CHECK(rows[0].at("token") != rows[1].at("token"));
    CHECK(audit_of(admin, "?who=ops")[0].at("token") == 1);
}

TEST_CASE("What was refused, or was done before, is no row", "[service][http]") {
    Service service;
    seed_all(service);
    const auto admin = service.client(service.token("ada", Scope::admin));
    const auto reader = service.client(service.token("reader", Scope::read));
    CHECK(reader.send("POST", state_of_first, accept_body).status == 403);
    CHECK(admin.send("POST", "/api/v1/jobs/77/cancel").status == 404);
    CHECK(audit_of(admin).empty());
    const http::Headers key{{"idempotency-key", "k1"}};
    CHECK(admin.send("POST", state_of_first, accept_body, key).status == 200);
    CHECK(admin.send("POST", state_of_first, accept_body, key).status == 200);
    CHECK(audit_of(admin).size() == 1);
}

TEST_CASE("A change and its row are one transaction", "[service][http]") {
    Service service;
    seed_all(service);
    const auto admin = service.client(service.token("ada", Scope::admin));
    service.change([](Database& db) {
        return db.execute(
            "CREATE TRIGGER no_audit BEFORE INSERT ON audit BEGIN "
            "SELECT RAISE(ABORT, 'no row'); END");
    });
    CHECK(admin.send("POST", state_of_first, accept_body).status >= 400);
    CHECK(state_of(service) != "accepted");
    service.change([](Database& db) { return db.execute("DROP TRIGGER no_audit"); });
    CHECK(admin.send("POST", state_of_first, accept_body).status == 200);
    CHECK(state_of(service) == "accepted");
    CHECK(audit_of(admin).size() == 1);
}

TEST_CASE("The audit log is bounded", "[service][http]") {
    Service service;
    const auto left = service.change([](Database& db) {
        for (int at_s = 1; at_s <= 10; ++at_s)
            add_audit(db, {at_s, "ada", "", "a.b", "a/1", "", "{}", ""});
        forget_audit(db, 4, 5);
        return db.all<std::int64_t>("SELECT at_s FROM audit ORDER BY id");
    });
    CHECK(left == std::vector<std::int64_t>{6, 7, 8, 9, 10});
}

TEST_CASE("Every change by REST has a name of its own", "[service][api]") {
    std::set<std::string> names;
    for (const auto& route : all_routes()) {
        if (!is_audited(route)) continue;
        CAPTURE(route.pattern);
        CHECK(names.insert(action_of(route)).second);
        // What was measured elsewhere is taken with its row, too.
        const bool elsewhere =
            route.place == WorkPlace::sent_results || route.place == WorkPlace::answer;
        CHECK((route.place == WorkPlace::writer || elsewhere));
    }
    CHECK(names.contains("night.withdraw"));
    CHECK(names.contains("worker.release"));
}
