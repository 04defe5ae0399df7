// What was sent from elsewhere is listed, and taken back with what nothing else uses.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/watch/night/withdraw.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;
using Catch::Contains;

namespace {

const std::string imports_path = "/api/v1/imports";

/// A project that is measured elsewhere, and whoever sends its results.
struct FarDesk {
    Service service{[](Config& config) {
        ProjectConfig far;
        far.name = "far";
        far.source.kind = SourceKind::elsewhere;
        config.projects["far"] = far;
    }};
    http::Client sender = service.client(service.token("ci", Scope::ingest));
    http::Client admin = service.client(service.token("admin", Scope::admin));

    void send(char revision, const std::string& day, const std::string& machine_class = "ci") {
        const auto reply = sender.send(
            "POST",
            "/api/v1/results?project=far&measured_at=" + day + "&machine_class=" + machine_class +
                "&revision=" + hash_of(revision),
            R"({"sort": {"latency": {"value": 12.5}}, "scan": {"ops/s": {"value": 3}}})");
        CAPTURE(reply.body);
        REQUIRE(reply.status == 201);
    }
    nlohmann::json one(int id) {
        return json_of(admin.send("GET", imports_path + "/" + std::to_string(id)));
    }
    http::Response undo(int id, const std::string& body = "") {
        return admin.send("POST", imports_path + "/" + std::to_string(id) + "/undo", body);
    }
    int count(const std::string& table) {
        return service.change(
            [&](Database& db) { return *db.find<int>("SELECT COUNT(*) FROM " + table); });
    }
    /// A suspicion about the first series in the night of the first import.
    void suspect(const std::string& state) {
        service.change([&](Database& db) {
            return db.execute(
                "INSERT INTO suspicion (series_id, nightly_id, good_nightly_id, kind, state,"
                " verdict, base, value, change_ratio, reason, created_at_s) SELECT 1,"
                " import.nightly_id, import.nightly_id, 'level', ?1,"
                " iif(?1 = 'ended', 'regression', NULL), 1.0, 1.2, 0.2, 'above the threshold',"
                " 100 FROM import WHERE id = 1",
                state);
        });
    }
};

}  // namespace

TEST_CASE("What was sent from elsewhere is listed, with who sent it", "[service][api]") {
    FarDesk desk;
    desk.send('a', "2026-01-01");
    desk.send('a', "2026-01-01", "arm");
    const auto items = json_of(desk.admin.send("GET", imports_path + "?project=far")).at("items");
    REQUIRE(items.size() == 2);
    CHECK(items[0].at("machine_class") == "arm");
    CHECK(items[1].at("id") == 1);
    CHECK(items[1].at("by") == "ci");
    CHECK(items[1].at("readings") == 2);
    CHECK(items[1].at("night") == "2026-01-01");
    CHECK(items[0].at("nightly") == items[1].at("nightly"));
    CHECK(
        json_of(desk.admin.send("GET", imports_path + "?machine_class=ci")).at("items").size() ==
        1);
}

TEST_CASE("An import goes with what nothing else uses, and may be sent anew", "[service][api]") {
    FarDesk desk;
    desk.send('a', "2026-01-01");
    const auto told = desk.one(1);
    CHECK(told.at("refused").is_null());
    CHECK(told.at("removes").at("readings") == 2);
    CHECK(told.at("removes").at("series_count") == 2);
    CHECK(told.at("removes").at("series").size() == 2);
    CHECK(told.at("removes").at("worker") == "elsewhere-far-ci");
    CHECK(told.at("removes").at("machine_class") == "ci");
    CHECK(desk.count("run") == 2);  // that was only asked

    CHECK(desk.sender.send("POST", imports_path + "/1/undo").status == 403);
    const auto undone = json_of(desk.undo(1, R"({"reason":"of a branch"})"));
    CHECK(undone.at("removed") == told.at("removes"));
    for (const std::string table :
         {"run",
          "measurement",
          "night_value",
          "unjudged_measurement",
          "job",
          "attempt",
          "series",
          "stale_record",
          "series_record",
          "import",
          "worker",
          "machine_class WHERE name = 'ci'"}) {
        CAPTURE(table);
        CHECK(desk.count(table) == 0);
    }
    CHECK(desk.count("nightly") == 1);
    CHECK(desk.count("event WHERE kind = 'nightly.import_undone'") == 1);
    const auto audit = json_of(desk.admin.send("GET", "/api/v1/audit?object=import/1"));
    REQUIRE(audit.at("items").size() == 1);
    CHECK(audit.at("items")[0].at("action") == "import.undo");
    CHECK(audit.at("items")[0].at("reason") == "of a branch");
    CHECK(desk.undo(1).status == 404);

    desk.send('a', "2026-01-01");
    CHECK(desk.count("measurement") == 2);
    CHECK(desk.count("nightly") == 1);
    CHECK(desk.one(2).at("readings") == 2);  // its number is a new one
}

TEST_CASE("What another import uses stays", "[service][api]") {
    FarDesk desk;
    desk.send('a', "2026-01-01");
    desk.send('b', "2026-01-02");
    desk.send('b', "2026-01-02", "arm");
    CHECK(desk.one(2).at("removes").at("series_count") == 0);
    CHECK(desk.one(2).at("removes").at("worker").is_null());
    json_of(desk.undo(2));
    CHECK(desk.count("series") == 4);
    CHECK(desk.count("worker") == 2);
    CHECK(desk.count("measurement") == 4);
    CHECK(desk.count("stale_record") == 2);  // made anew of what is left
    const auto arm = json_of(desk.undo(3)).at("removed");
    CHECK(arm.at("machine_class") == "arm");
    CHECK(desk.count("series") == 2);
    CHECK(desk.count("machine_class WHERE name = 'arm'") == 0);
}

TEST_CASE("What was found keeps its series, and a class of the config stays", "[service][api]") {
    FarDesk desk;
    desk.send('a', "2026-01-01", "small");  // the config names it
    desk.suspect("ended");
    const auto removes = desk.one(1).at("removes");
    CHECK(removes.at("series_count") == 1);
    CHECK(removes.at("worker").is_null());
    CHECK(removes.at("machine_class").is_null());
    json_of(desk.undo(1));
    CHECK(desk.count("series") == 1);
    desk.send('b', "2026-01-02", "arm");
    desk.service.change([](Database& db) { return db.execute("DELETE FROM suspicion"); });
    json_of(desk.undo(2));
    CHECK(desk.count("machine_class WHERE name = 'small'") == 1);
}

TEST_CASE("Nothing is undone on which a regression or a question rests", "[service][api]") {
    FarDesk desk;
    desk.send('a', "2026-01-01");
    desk.send('b', "2026-01-02");
    desk.suspect("open");
    const auto open = desk.undo(1);
    CHECK(open.status == 409);
    CHECK_THAT(open.body, Contains("suspicion 1 of it is not decided"));
    desk.service.change([](Database& db) {
        db.execute("UPDATE suspicion SET state = 'ended', verdict = 'regression'");
        db.execute(
            "INSERT INTO regression (project_id, nightly_id, state, good_build_id, bad_build_id,"
            " created_at_s, changed_at_s) SELECT project_id, id, 'range', build_id, build_id, 1, 1"
            " FROM nightly LIMIT 1");
        return db.execute(
            "INSERT INTO regression_series (regression_id, series_id, suspicion_id)"
            " VALUES (1, 1, 1)");
    });
    CHECK_THAT(desk.one(1).at("refused").get<std::string>(), Contains("regression 1 rests on it"));
    const auto refused = desk.undo(1);
    CHECK(refused.status == 409);
    CHECK_THAT(refused.body, Contains("vigil night withdraw"));
    CHECK(desk.count("run") == 4);
    CHECK(desk.one(2).at("refused").is_null());  // it rests on the first alone

    const auto nightly = desk.one(1).at("nightly").get<std::int64_t>();
    desk.service.change([&](Database& db) {
        return withdraw(db, {NightlyId{nightly}}, "wrong numbers", "admin", 200);
    });
    json_of(desk.undo(1));
    CHECK(desk.count("run") == 2);
    CHECK(desk.count("regression_series") == 1);
}
