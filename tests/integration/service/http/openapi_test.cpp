// Every route, every reply and every status that it documents, against openapi.yaml.

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "service/api/route.hpp"
#include "service/http/auth.hpp"
#include "service/store/content_index.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/whys.hpp"
#include "service/store/json_columns.hpp"
#include "service/store/nights/rolled.hpp"
#include "tests/integration/service/http/asked.hpp"
#include "tests/integration/service/http/conflicts.hpp"
#include "tests/integration/service/http/night_commits.hpp"
#include "tests/integration/service/http/recorder.hpp"
#include "tests/integration/service/http/refusals.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

const std::string source_dir = VIGIL_SOURCE_DIR;

nlohmann::json route_names() {
    auto names = nlohmann::json::array();
    for (const auto& route : all_routes()) {
        auto scopes = nlohmann::json::array();
        for (const auto scope : scopes_of(route.access)) scopes.push_back(to_string(scope));
        const bool deprecated = route.ending.deprecated_at_s != 0;
        names.push_back({route.method, route.pattern, scopes, deprecated});
    }
    return names;
}

constexpr const char* pages_with_items =
    "allocations audit jobs mutes runs suspicions drifts storms troubles canaries environments "
    "regressions bisections reports nightlies builds series events triggers deliveries outbox "
    "notices pulls retention retention/content "
    "series/1/nights workers";

constexpr std::array queries{
    "history?after=2&nights=3&limit=2",
    "suspicions?waiting=1&series=1&nightly=1&metric=wall_time_ns",
    "troubles?kind=source.failed&state=ended&since_s=1&until_s=9",
    "events?after=5&kind=job.leased&subject=job/1",
    "regressions?culprit=BBBB&state=reported",
    "notices?state=sent&target=f&number=7&since_s=1",
    "pulls?state=done&target=f&number=7&project=demo",
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

void list_commits(Service& service, Recorder& recorder) {
    keep_commits(service, NightlyId{2}, {"subject"});
    for (const auto* night : {"1", "2"}) {
        const std::string path = "/api/v1/nightlies/";
        recorder.call("GET", path + "{id}/commits", path + night + "/commits");
    }
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

/// Which functions of a verified culprit execute more: asked, asked once more, and known.
void ask_why(Service& service, Recorder& recorder) {
    const std::string path = "/api/v1/regressions/";
    service.change([](Database& db) {
        db.execute("UPDATE regression SET culprit = ?1, bisection_id = 1", std::string(40, 'b'));
        return db.execute(
            "UPDATE regression_series SET verified = ?1",
            Comparison{1, 2, 1, 0.9, 1.1, 1, 3, 3, Finding::worse, false});
    });
    for (int times = 0; times < 2; ++times) {
        recorder.call("POST", path + "{id}/why", path + "1/why");
        service.change([](Database& db) { return db.execute("UPDATE why SET state = 'done'"); });
    }
    recorder.call("GET", path + "{id}", path + "1");
    service.change([](Database& db) {
        profile::Why found;
        found.before = 1000;
        found.after = 1500;
        found.rows = {{"sort", "src/sort.cpp", 500, 1000, 1, 1, 2, true, {"swap"}, "memcpy"}};
        found.words = "this row is 100 % of it";
        found.notes = {"a note"};
        return db.execute(
            "UPDATE why SET state = 'done', found = ?1, series_id = 1, job_id = 1, "
            "flame = '<svg xmlns=\"http://www.w3.org/2000/svg\"/>'",
            found);
    });
    recorder.call("GET", path + "{id}/flame.svg", path + "1/flame.svg");
    recorder.call("GET", path + "{id}", path + "1");
}

/// Whether a revert of it would help: asked, and known.
void ask_revert(Service& service, Recorder& recorder) {
    const std::string path = "/api/v1/regressions/";
    recorder.call("POST", path + "{id}/revert", path + "1/revert");
    recorder.call("GET", path + "{id}", path + "1");
    service.change([](Database& db) {
        const Comparison change{1, 2, 1, 0.9, 1.1, 1, 3, 3, Finding::worse, false};
        return db.execute(
            "UPDATE revert_check SET state = 'done', outcome = 'helps', series_id = 1, "
            "request_id = 1, size = ?1, reverted = ?1, still = ?1, head = ?2, made = ?2, "
            "parent = ?2, conflicts = '[\"a\"]', conflicting = 1",
            change,
            std::string(40, 'c'));
    });
    recorder.call("GET", path + "{id}", path + "1");
}

/// A night that is rolled up, with a value that is left of its runs.
void read_rolled_night(Service& service, Recorder& recorder) {
    service.change([](Database& db) {
        begin_roll_up(db, NightlyId{1}, 2'000'000);
        db.execute(
            "INSERT INTO night_value(series_id, nightly_id, run_id, worker_id, median, spread, "
            "count) VALUES (1, 1, 999, 1, 1e6, 10, 5)");
        return 0;
    });
    const std::string base = "/api/v1/";
    recorder.call("GET", base + "retention", base + "retention?project=demo&since_s=1");
    service.change([](Database& db) {
        record_content(db, wire::sha256("old"), 9, ContentKind::product, 100);
        return drop_content(db, {1 << 20, {{ContentKind::product, 100}}}, 1'000'000).size();
    });
    const auto dropped = base + "retention/content";
    recorder.call("GET", dropped, dropped + "?kind=product&since_s=1");
    recorder.call("GET", base + "nightlies/{id}", base + "nightlies/1");
    recorder.call("GET", base + "nights/{id}/summary", base + "nights/1/summary");
    recorder.call("GET", base + "series/{id}", base + "series/1");
    recorder.call("GET", base + "series/{id}/nights", base + "series/1/nights");
    const auto nights = json_of(recorder.client.send("GET", base + "series/1/nights"));
    const auto& runs = nights.at("items").back().at("runs");
    CHECK(runs.back().at("run") == 999);
    CHECK(runs.back().at("started_at_ns").is_null());
}

/// A search that has ended, with all that an ending may have.
void read_ended_search(Service& service, Recorder& recorder) {
    service.change([](Database& db) {
        note_conclusion(db, BisectionId{1}, small_conclusion());
        return 0;
    });
    recorder.call("GET", "/api/v1/bisections/{id}", "/api/v1/bisections/1");
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

/// The first of each kind.
void call_ones(Recorder& recorder) {
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
          "notices",
          "pulls",
          "deliveries",
          "triggers"}) {
        recorder.call("GET", base + name + "/{id}", base + name + "/1");
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
    service.hold_time();
    Recorder recorder(service.client(service.token("admin", Scope::admin)));
    call_lists(recorder);
    refuse_all(recorder);
    conflict_all(recorder);
    const std::string base = "/api/v1/";
    call_ones(recorder);
    read_ended_search(service, recorder);
    for (const std::string query : queries) {
        recorder.call("GET", base + query.substr(0, query.find('?')), base + query);
    }
    recorder.call("GET", base + "precision/thresholds", base + "precision/thresholds");
    recorder.call("GET", base + "week", base + "week?project=demo");
    recorder.call("GET", base + "bisections/{id}/standing", base + "bisections/1/standing");
    recorder.call("GET", base + "regressions/{id}/levels", base + "regressions/1/levels");
    recorder.call("GET", base + "reports/{id}", base + "reports/2");
    recorder.call("GET", base + "nights/{id}/summary", base + "nights/2/summary");
    list_commits(service, recorder);
    recorder.call("GET", base + "series/{id}/nights", base + "series/1/nights?purpose=confirm");
    recorder.call("GET", base + "series/{id}/chart", base + "series/1/chart?nights=30&with=1");
    recorder.call("GET", base + "series/{id}/nights/{nightly}", base + "series/1/nights/2");
    service.change([](Database& db) { return db.execute("UPDATE outbox SET state = 'dead'"); });
    recorder.call("POST", base + "outbox/{id}/retry", base + "outbox/1/retry");
    service.change([](Database& db) { return db.execute("UPDATE notice SET state = 'dead'"); });
    recorder.call("POST", base + "notices/{id}/retry", base + "notices/1/retry");
    recorder.call("GET", base + "projects/{name}/badge.svg", base + "projects/demo/badge.svg");
    withdraw_nights(recorder);
    fill_back(recorder);
    recorder.call("POST", base + "triggers", base + "triggers", R"({"project":"demo"})");
    recorder.call("POST", base + "jobs/{id}/cancel", base + "jobs/2/cancel");
    ask_for_measurements(service, [&](const auto&... asked) { recorder.call(asked...); });
    tell_missed_regressions(service, [&](const auto&... told) { recorder.call(told...); });
    recorder.call("POST", base + "reports/{id}/retry", base + "reports/1/retry");
    recorder.call("POST", base + "tokens", base + "tokens", R"({"name":"new","scope":"read"})");
    recorder.call("DELETE", base + "tokens/{name}", base + "tokens/new");
    recorder.call(
        "POST",
        base + "regressions/{id}/state",
        base + "regressions/1/state",
        R"({"state":"acknowledged","reason":"seen"})");
    decide(recorder);
    ask_why(service, recorder);
    ask_revert(service, recorder);
    recorder.call("GET", base + "audit", base + "audit?who=admin&object=regression/1");
    read_rolled_night(service, recorder);
    std::istringstream pages{pages_with_items};
    for (std::string page; pages >> page;) {
        CAPTURE(page);
        CHECK_FALSE(json_of(recorder.client.send("GET", base + page)).at("items").empty());
    }
    check_exchanges(service, recorder);
}
