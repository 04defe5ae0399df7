#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

/// A night of project "demo" with one run of benchmark `name` for each value. @return the nightly
std::int64_t add_night(
    Database& db, char digit, const std::string& name, std::vector<double> runs) {
    const auto project = ensure_project(db, "demo", 100);
    const auto build = add_build(db, project, digit);
    db.execute(
        "INSERT INTO nightly (project_id, build_id, version, day, revision, state, created_at_s) "
        "SELECT ?1, id, 'v' || id, '2024-01-02', revision, 'done', 100 FROM build WHERE id = ?2",
        project,
        build);
    const auto night = db.last_insert_id();
    db.execute(
        "INSERT INTO job (project_id, machine_class_id, purpose, state, priority, nightly_id, "
        "plan, "
        "attempt, created_at_s) VALUES (?1, ?2, 'nightly', 'done', 0, ?3, '{}', 1, 100)",
        project,
        ensure_machine_class(db, "small"),
        night);
    const auto job = db.last_insert_id();
    db.execute(
        "INSERT OR IGNORE INTO series (project_id, benchmark, variant, machine_class_id, metric, "
        "definition, unit, direction) "
        "VALUES (?1, ?2, 'train', ?3, 'cpu_time_ns', 1, 'ns', 'lower_is_better')",
        project,
        name,
        ensure_machine_class(db, "small"));
    int step = 0;
    for (const double value : runs) {
        db.execute(
            "INSERT INTO run (job_id, attempt, step, build_id, benchmark, variant, "
            "machine_class_id, worker_id, outcome, started_at_ns, duration_ns) "
            "SELECT ?1, 1, ?2, ?3, ?4, 'train', ?5, w.id, 'passed', ?2, 1 FROM worker w LIMIT 1",
            job,
            step++,
            build,
            name,
            ensure_machine_class(db, "small"));
        db.execute(
            "INSERT INTO measurement (run_id, series_id, median, spread, count, samples) "
            "SELECT ?1, id, ?2, 0.1, 1, x'0000000000000000' FROM series WHERE benchmark = ?3",
            db.last_insert_id(),
            value,
            name);
    }
    return night;
}

void add_worker(Database& db) {
    db.execute(
        "INSERT INTO worker (name, machine_class_id, state, fingerprint, toolchain, "
        "first_seen_at_s, last_seen_at_s) VALUES ('worker-one', ?1, 'active', '{}', ?2, 100, 100)",
        ensure_machine_class(db, "small"),
        hash_of('7', 64));
}

std::vector<nlohmann::json> lines_of(const std::string& body) {
    std::vector<nlohmann::json> lines;
    for (std::size_t at = 0; at < body.size();) {
        const auto end = body.find('\n', at);
        REQUIRE(end != body.npos);
        lines.push_back(wire::parse_json(body.substr(at, end - at), "a line"));
        at = end + 1;
    }
    return lines;
}

}  // namespace

TEST_CASE("A history is told as detect reads it, confirmed nights labelled", "[service][api]") {
    Service service;
    std::int64_t worse = 0;
    service.change([&](Database& db) {
        add_worker(db);
        add_night(db, '1', "sum", {10, 11, 12});
        worse = add_night(db, '2', "sum", {20, 22, 21});
        db.execute(
            "INSERT INTO suspicion (series_id, nightly_id, good_nightly_id, kind, state, verdict, "
            "base, value, change_ratio, reason, created_at_s) "
            "VALUES (1, ?1, ?1 - 1, 'level', 'ended', 'regression', 11, 21, 0.9, 'worse', 100)",
            worse);
        db.execute(
            "INSERT INTO regression (project_id, nightly_id, state, good_build_id, bad_build_id, "
            "created_at_s, changed_at_s) VALUES (1, ?1, 'reported', 1, 2, 100, 100)",
            worse);
        db.execute(
            "INSERT INTO regression_series (regression_id, series_id, suspicion_id) "
            "VALUES (1, 1, 1)");
        db.execute(
            "INSERT INTO baseline (series_id, kind, nightly_id, reason, created_at_s) "
            "VALUES (1, 'rolling', ?1, 'regression confirmed', 100)",
            worse);
        const auto moved = add_night(db, '3', "sum", {30});
        db.execute(
            "INSERT INTO baseline (series_id, kind, nightly_id, reason, created_at_s) "
            "VALUES (1, 'rolling', ?1, 'the machine moved and stayed', 100)",
            moved);
        return 0;
    });
    const auto client = service.client();
    const auto lines = lines_of(client.send("GET", "/api/v1/history").body);
    REQUIRE(lines.size() == 1);
    const auto& line = lines[0];
    CHECK(line.at("series") == "demo/sum/train/small/cpu_time_ns");
    CHECK(line.at("direction") == "lower_is_better");
    CHECK(line.at("values") == nlohmann::json{11.0, 21.0, 30.0});
    const auto numbers = line.at("nightlies");
    CHECK(numbers.at(1) == worse);
    CHECK(line.at("nights") == numbers);  // of one day, begun in one second
    CHECK(line.at("samples").at(1) == nlohmann::json{20.0, 22.0, 21.0});
    CHECK(line.at("labels") == nlohmann::json{1});
    CHECK(line.at("environments") == nlohmann::json{1, 1, 2});  // the code's own step is none
    CHECK(
        lines_of(client.send("GET", "/api/v1/history?nights=1").body)[0].at("values").size() == 1);
    service.change([](Database& db) {
        db.execute("UPDATE regression SET state = 'refuted'");
        return 0;
    });
    CHECK(lines_of(client.send("GET", "/api/v1/history").body)[0].at("labels").empty());
}

TEST_CASE("A withdrawn night's values are marked, and not gone", "[service][api]") {
    Service service;
    service.change([&](Database& db) {
        add_worker(db);
        add_night(db, '1', "sum", {10, 11, 12});
        add_night(db, '2', "sum", {20, 22, 21});
        return 0;
    });
    const auto admin = service.client(service.token("ada", Scope::admin));
    const auto writer =
        service.client(service.token("writer", {Scope::read, Scope::trigger, Scope::triage}));
    const auto line = [&] { return lines_of(admin.send("GET", "/api/v1/history").body)[0]; };
    const auto night = line().at("nightlies").at(1).get<std::int64_t>();
    const auto path = "/api/v1/nights/" + std::to_string(night);
    const std::string why = R"({"reason":"wrong driver"})";
    CHECK(writer.send("POST", path + "/withdraw", why).status == 403);
    CHECK(admin.send("POST", path + "/withdraw", R"({"reason":" "})").status == 400);
    CHECK(admin.send("POST", path + "/withdraw", R"({"reason":"x","worker":"no"})").status == 404);
    CHECK(admin.send("POST", "/api/v1/nights/999/withdraw", why).status == 404);
    for (int again = 0; again < 2; ++again) {
        const auto reply = admin.send("POST", path + "/withdraw", why);
        CHECK(reply.status == 200);
        const auto stands = wire::parse_json(reply.body, "reply").at("withdrawn");
        REQUIRE(stands.size() == 1);
        CHECK(stands.at(0).at("by") == "ada");
        CHECK(stands.at(0).at("reason") == "wrong driver");
        CHECK(stands.at(0).at("worker").is_null());
    }
    CHECK(line().at("values") == nlohmann::json{11.0});
    const auto left = line().at("left_out");
    REQUIRE(left.size() == 1);
    CHECK(left.at(0).at("nightly") == night);
    CHECK(left.at(0).at("samples") == nlohmann::json{20.0, 22.0, 21.0});
    const auto series = wire::parse_json(admin.send("GET", "/api/v1/series/1").body, "reply");
    CHECK(series.at("points").size() == 6);
    CHECK(series.at("points").at(0).at("left_out") == true);
    CHECK(series.at("points").at(5).at("left_out") == false);
    const auto summary = wire::parse_json(admin.send("GET", path + "/summary").body, "reply");
    CHECK(summary.at("all_clear") == false);
    CHECK(summary.at("nightly").at("withdrawn").size() == 1);
    const auto listed = wire::parse_json(
        admin.send("GET", "/api/v1/nightlies?nightly=" + std::to_string(night)).body, "reply");
    CHECK(listed.at("items").size() == 1);

    CHECK(admin.send("POST", path + "/restore", "").status == 200);
    CHECK(admin.send("POST", path + "/restore", "").status == 200);
    CHECK(line().at("values") == nlohmann::json{11.0, 21.0});
    CHECK(line().at("left_out").empty());
}

TEST_CASE("Exported nights are called by their days, or by when they began", "[service][api]") {
    Service service;
    const auto nights = [&](const char* script) {
        service.change([&](Database& db) { return db.execute_script(script), 0; });
        return lines_of(service.client().send("GET", "/api/v1/history").body)[0].at("nights");
    };
    service.change([](Database& db) {
        add_worker(db);
        add_night(db, '1', "sum", {10});
        return add_night(db, '2', "sum", {11});
    });
    CHECK(
        nights("UPDATE nightly SET created_at_s = 86400 * id") ==
        nlohmann::json{"1970-01-02T00:00:00Z", "1970-01-03T00:00:00Z"});
    CHECK(
        nights("UPDATE nightly SET day = '2024-01-0' || id") ==
        nlohmann::json{"2024-01-01", "2024-01-02"});
    CHECK(
        nights("UPDATE nightly SET day = 'v' || id") ==
        nlohmann::json{"1970-01-02T00:00:00Z", "1970-01-03T00:00:00Z"});
}

TEST_CASE("Histories come in pages that the header Link strings together", "[service][api]") {
    Service service;
    service.change([](Database& db) {
        add_worker(db);
        for (const std::string name : {"a", "b", "c"}) add_night(db, name[0], name, {1.5});
        return 0;
    });
    const auto client = service.client();
    std::vector<std::string> names;
    std::string next = "/api/v1/history?limit=2&metric=cpu_time_ns";
    while (!next.empty()) {
        const auto page = client.send("GET", next);
        CHECK(page.headers.at("content-type") == "application/x-ndjson");
        for (const auto& line : lines_of(page.body)) names.push_back(line.at("series"));
        const auto link = page.headers.find("link");
        next = link == page.headers.end() ? "" : link->second.substr(1, link->second.find('>') - 1);
        REQUIRE(names.size() <= 3);
    }
    CHECK(
        names == std::vector<std::string>{
                     "demo/a/train/small/cpu_time_ns",
                     "demo/b/train/small/cpu_time_ns",
                     "demo/c/train/small/cpu_time_ns"});
    CHECK(client.send("GET", "/api/v1/history?limit=0").status == 400);
    CHECK(client.send("GET", "/api/v1/history?nights=9999").status == 400);
    CHECK(client.send("GET", "/api/v1/history?metric=speed").status == 400);
}
