// Filters of list routes, and what a regression's row says of its commit and its addresses.

#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/api/common/event_kinds.hpp"
#include "service/api/route.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/findings/fix_records.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

void seed_night(Service& service) {
    service.change([&](Database& db) {
        add_small_job(db, 'c');
        const auto worker =
            upsert_worker(db, service.config(), "worker-one", small_machine(), false, 100);
        const auto lease = claim_job(db, service.config(), worker, 100);
        finish_job(
            db,
            JobConfig{},
            lease->job,
            lease->attempt,
            worker,
            write_result(small_result(lease->builds.at(0).id)),
            101);
        add_verdicts(db);
        return 0;
    });
}

struct Asked {
    int status = 0;
    nlohmann::json body;
};

Asked ask(Service& service, const std::string& path) {
    const auto answer = service.client().send("GET", path);
    Asked asked{answer.status, nullptr};
    const auto type = answer.headers.find("content-type");
    if (type != answer.headers.end() && type->second.find("json") != std::string::npos &&
        type->second.find("ndjson") == std::string::npos) {
        asked.body = wire::parse_json(answer.body, path);
    }
    return asked;
}

std::string words_of(const Asked& asked) {
    return asked.body.is_object() ? asked.body.value("detail", "") : "";
}

/// A query, and what its refusal holds.
struct Wrong {
    const char* query;
    const char* said;
};

}  // namespace

TEST_CASE("A filter that names nothing is refused, with the nearest name", "[service][api]") {
    Service service;
    seed_night(service);
    const std::array wrong{
        Wrong{"jobs?project=dem", "did you mean \"demo\"?"},
        Wrong{"nightlies?project=x", "there is no project \"x\""},
        Wrong{"nightlies?version=v9", "there is no nightly of version"},
        Wrong{"builds?project=", "there is no project \"\""},
        Wrong{"runs?benchmark=sun", "did you mean \"sum\"?"},
        Wrong{"runs?variant=trian", "did you mean \"train\"?"},
        Wrong{"runs?machine_class=smal", "did you mean \"small\"?"},
        Wrong{"jobs?worker=worker-on", "did you mean \"worker-one\"?"},
        Wrong{"events?kind=job.leasd", "did you mean \"job.leased\"?"},
        Wrong{"troubles?kind=source.faild", "did you mean \"source.failed\"?"},
        Wrong{"troubles?state=closed", "open, ended"},
        Wrong{"events?subject=job", "looks like"},
        Wrong{"events?after=x", "must be a number"},
        Wrong{"reports?kind=nigth", "regression, night"},
        Wrong{"reports?regression=99", "there is no regression 99"},
        Wrong{"regressions?nightly=99", "there is no nightly 99"},
        Wrong{"jobs?nightly=2024-01-02", "1 (demo 2024-01-02.1)"},
        Wrong{"jobs?nightly=2024-01-02", "2 (demo 2024-01-02.2)"},
        Wrong{"jobs?nightly=2024-01-03", "there is no nightly \"2024-01-03\""},
        Wrong{"jobs?nightly=", "there is no nightly"},
        Wrong{"regressions?bisection=99", "there is no bisection 99"},
        Wrong{"regressions?state=done", "the choices are"},
        Wrong{"regressions?culprit=ffff", "no commit"},
        Wrong{"regressions?culprit=main", "hex digits"},
        Wrong{"builds?revision=bb", "4 to 64 hex digits"},
        Wrong{"builds?revision=1234", "no commit that is known here begins with 1234"},
        Wrong{"suspicions?series=99", "there is no series 99"},
        Wrong{"suspicions?waiting=2", "must be 0 or 1"},
        Wrong{"jobs?session=99", "there is no session 99"},
        Wrong{"jobs?probe=99", "there is no probe 99"},
        Wrong{"runs?job=99", "there is no job 99"},
        Wrong{"runs?build=99", "there is no build 99"},
        Wrong{"runs?since_s=2026-11-20", "must be a number"},
        Wrong{"runs?since_s=20&until_s=10", "before since_s"},
        Wrong{"drifts?metric=time", "the choices are"},
        Wrong{"storms?worker=w", "there is no worker"},
        Wrong{"canaries?project=x", "there is no project"},
        Wrong{"series?benchmark=sun", "did you mean"},
        Wrong{"history?project=x", "there is no project"},
        Wrong{"precision?project=x", "there is no project"},
        Wrong{"workers?state=idle", "active, draining, quarantined"},
        Wrong{"bisections?nightly=0", "there is no nightly 0"}};
    for (const auto& one : wrong) {
        CAPTURE(one.query);
        const auto answer = ask(service, std::string("/api/v1/") + one.query);
        CHECK(answer.status == 400);
        CHECK_THAT(words_of(answer), Catch::Contains(one.said));
    }
}

TEST_CASE("Nights of one day have a name each, by which they are found", "[service][api]") {
    Service service;
    seed_night(service);
    const auto nights = ask(service, "/api/v1/nightlies").body.at("items");
    REQUIRE(nights.size() == 2);
    CHECK(nights[0].at("name") == "2024-01-02.2");
    CHECK(nights[1].at("name") == "2024-01-02");
    const auto of = [&](const std::string& name) {
        const auto found = ask(service, "/api/v1/suspicions?nightly=" + name).body.at("items");
        return found.empty() ? 0 : found[0].at("nightly").get<int>();
    };
    CHECK(of("2024-01-02.2") == 2);
    CHECK(of("2") == 2);
    CHECK(of("2024-01-02.1") == 0);  // the first of the day, of which there is none
}

TEST_CASE("A suspicion says what was asked, and against which builds", "[service][api]") {
    Service service;
    seed_night(service);
    service.change([](Database& db) {
        return db.execute(
            "UPDATE suspicion SET asked = 'recovered', old_nights = '[1, 99, \"x\"]' WHERE id = 1");
    });
    const auto found = ask(service, "/api/v1/suspicions?asked=recovered").body.at("items");
    REQUIRE(found.size() == 1);
    CHECK(found.at(0).at("asked") == "recovered");
    const auto old = found.at(0).at("old_nights");
    REQUIRE(old.size() == 1);
    CHECK(old.at(0).at("nightly") == 1);
    CHECK(old.at(0).at("revision").get<std::string>().size() == 40);
    CHECK(ask(service, "/api/v1/suspicions?asked=better").body.at("items").empty());
    CHECK(ask(service, "/api/v1/suspicions?asked=nonsense").status == 400);
    service.change([](Database& db) {
        return db.execute("UPDATE suspicion SET kind = 'outcome', old_nights = 'spoilt'");
    });
    const auto silent = ask(service, "/api/v1/suspicions").body.at("items").at(0);
    CHECK(silent.at("asked").is_null());
    CHECK(silent.at("old_nights").empty());
}

TEST_CASE("A name that is known and has nothing is an empty list", "[service][api]") {
    Service service;
    seed_night(service);
    for (const std::string query :
         {"events?kind=job.parked",
          "troubles?kind=tick.failed",
          "jobs?state=parked",
          "events?subject=job/99"}) {
        CAPTURE(query);
        const auto answer = ask(service, "/api/v1/" + query);
        CHECK(answer.status == 200);
        CHECK(answer.body.at("items").empty());
    }
    CHECK(ask(service, "/api/v1/builds?revision=" + hash_of('e')).body.at("items").empty());
    Service fresh;  // nothing was measured, and the config has its names
    CHECK(ask(fresh, "/api/v1/nightlies?project=demo").status == 200);
    CHECK(ask(fresh, "/api/v1/workers?machine_class=small").status == 200);
    CHECK(ask(fresh, "/api/v1/events?kind=regression.reported").status == 200);
}

TEST_CASE("A short hash is its commit", "[service][api]") {
    Service service;
    seed_night(service);
    for (const std::string query :
         {"builds?revision=bbbb",
          "builds?revision=BBBBBBBBBB",
          "nightlies?revision=bbbbbbb",
          "runs?revision=cccc",
          "regressions?culprit=bbbbbbbbbb"}) {
        CAPTURE(query);
        CHECK(ask(service, "/api/v1/" + query).body.at("items").size() == 1);
    }
    service.change([](Database& db) {
        return db.execute(
            "UPDATE build SET revision = ?1 WHERE revision = ?2",
            "bbbbbbbb" + std::string(32, '0'),
            hash_of('c'));
    });
    const auto several = ask(service, "/api/v1/builds?revision=bbbb");
    CHECK(several.status == 400);
    CHECK_THAT(words_of(several), Catch::Contains("begins several commits"));
}

TEST_CASE("A regression tells its commit, its addresses and its issue", "[service][api]") {
    Service service([](Config& config) {
        config.links.public_url = "https://vigil.example";
        config.links.commit_url = "https://git.example/{project}/commit/?id={revision}";
        config.links.compare_url = "https://git.example/{project}/log/{good}..{bad}";
    });
    seed_night(service);
    service.change([](Database& db) {
        return db.execute(
            "UPDATE outbox SET external_ref = 'https://tracker.example/o/n/issues/3' WHERE id = 1");
    });
    const auto row = ask(service, "/api/v1/regressions/1").body;
    CHECK(row.at("culprit_commit").at("subject") == "subject");
    CHECK(row.at("culprit_commit").at("author") == "Author One");
    CHECK(row.at("culprit_commit").at("parent") == hash_of('a'));
    const auto& links = row.at("links");
    CHECK(links.at("self") == "https://vigil.example/api/v1/regressions/1");
    CHECK(links.at("culprit") == "https://git.example/demo/commit/?id=" + hash_of('b'));
    CHECK(links.at("parent") == "https://git.example/demo/commit/?id=" + hash_of('a'));
    CHECK(
        links.at("range") == "https://git.example/demo/log/" + hash_of('a') + ".." + hash_of('b'));
    CHECK(links.at("issue") == "https://tracker.example/o/n/issues/3");
    CHECK(ask(service, "/api/v1/regressions").body.at("items").at(0).at("links") == links);
}

TEST_CASE("Regressions of one confirmed series name each other", "[service][api]") {
    Service service;
    seed_night(service);
    CHECK(ask(service, "/api/v1/regressions/1").body.at("others").empty());
    service.change([](Database& db) {
        db.execute(
            "INSERT INTO regression(id, project_id, nightly_id, state, good_build_id, "
            "bad_build_id, split_from_id, created_at_s, changed_at_s) SELECT 41, project_id, "
            "nightly_id, 'reported', good_build_id, bad_build_id, 1, 1, 1 FROM regression "
            "WHERE id = 1");
        return db.execute(
            "INSERT INTO regression_series(regression_id, series_id, suspicion_id) "
            "SELECT 41, series_id, suspicion_id FROM regression_series WHERE regression_id = 1");
    });
    const auto others = [&](const std::string& id) {
        return ask(service, "/api/v1/regressions/" + id).body.at("others");
    };
    CHECK(others("1") == nlohmann::json::array({41}));
    CHECK(others("41") == nlohmann::json::array({1}));
}

TEST_CASE("A regression tells what fixed it, and what was before it", "[service][api]") {
    Service service([](Config& config) {
        config.links.commit_url = "https://git.example/{project}/commit/?id={revision}";
    });
    seed_night(service);
    CHECK(ask(service, "/api/v1/regressions/1").body.at("mendings").empty());
    const auto change = [&](const std::string& sql, const std::string& text) {
        service.change([&](Database& db) { return db.execute(sql, text); });
    };
    change(
        "INSERT INTO mending(regression_id, nightly_id, bad_nightly_id, state, told) "
        "SELECT id, nightly_id, nightly_id, 'listing', ?1 FROM regression WHERE id = 1",
        "{}");
    // It is only asked about.
    CHECK(ask(service, "/api/v1/regressions/1").body.at("mendings").empty());
    change(
        "UPDATE regression_series SET recovered_nightly_id = (SELECT nightly_id FROM mending "
        "WHERE ?1 = '')",
        "");
    auto fix = ask(service, "/api/v1/regressions/1").body.at("mendings").at(0);
    CHECK(fix.at("listed") == false);
    CHECK(fix.at("by").is_null());
    CHECK(fix.at("commit").is_null());
    Fix told;
    told.by = history::FixedBy::revert;
    told.revision = Revision(hash_of('c'));
    told.subject = "Go <back>";
    told.reverts = Revision(hash_of('b'));
    told.line_commits = 4;
    change("UPDATE mending SET state = 'told', told = ?1", TextColumn<Fix>::text(told));
    fix = ask(service, "/api/v1/regressions/1").body.at("mendings").at(0);
    CHECK(fix.at("listed") == true);
    CHECK(fix.at("by") == "revert");
    CHECK(fix.at("commit").at("subject") == "Go <back>");
    CHECK(fix.at("commits") == 4);
    CHECK(fix.at("links").at("commit") == "https://git.example/demo/commit/?id=" + hash_of('c'));
    CHECK(fix.at("links").at("range").is_null());
    CHECK(ask(service, "/api/v1/regressions/1").body.at("earlier").empty());
}

TEST_CASE("Without addresses in the config a regression has none", "[service][api]") {
    Service service;
    seed_night(service);
    service.change([](Database& db) {
        return db.execute("UPDATE outbox SET external_ref = 'http://x\"onload=' WHERE id = 1");
    });
    const auto links = ask(service, "/api/v1/regressions/1").body.at("links");
    REQUIRE_FALSE(links.empty());
    for (const auto& [name, url] : links.items()) {
        CAPTURE(name);
        CHECK(url.is_null());
    }
}

TEST_CASE("A person's word on a regression follows its states", "[service][api]") {
    Service service;
    seed_night(service);
    const auto writer =
        service.client(service.token("writer", {Scope::read, Scope::trigger, Scope::triage}));
    const auto say = [&](const std::string& state, const std::string& reason = "") {
        const nlohmann::json body = {{"state", state}, {"reason", reason}};
        return writer.send("POST", "/api/v1/regressions/1/state", body.dump()).status;
    };
    const auto now = [&] { return ask(service, "/api/v1/regressions/1").body; };
    CHECK(now().at("answer").is_null());
    CHECK(say("closed") == 409);
    CHECK(say("acknowledged") == 200);
    CHECK(say("acknowledged") == 200);
    CHECK(say("accepted") == 400);
    CHECK(say("refuted", " \t") == 400);
    CHECK(say("accepted", "the price of a check") == 200);
    CHECK(now().at("answer").at("reason") == "the price of a check");
    CHECK(now().at("answer").at("by") == "writer");
    CHECK(now().at("answer").at("state") == "accepted");
    CHECK(say("acknowledged") == 409);
    CHECK(say("reported") == 400);
    CHECK(say("reported", "it is not") == 200);
    CHECK(now().at("state") == "reported");
    CHECK(say("refuted", "noise") == 200);
    CHECK(say("reported", "no noise") == 200);
    service.change([](Database& db) {
        db.execute("UPDATE regression_series SET recovered_nightly_id = 1");
        return db.execute("UPDATE regression SET state = 'closed'");
    });
    CHECK(say("accepted", "too late") == 409);
    CHECK(say("reported", "it is back") == 200);
    CHECK(now().at("series").at(0).at("recovered_nightly").is_null());
    CHECK(say("nonsense") == 400);
    CHECK(service.client().send("POST", "/api/v1/regressions/1/state", "{}").status == 401);
}

TEST_CASE("Every kind of event in the sources is one that the filter knows", "[service][api]") {
    namespace fs = std::filesystem;
    const auto known = event_kinds();
    const std::set<std::string> kinds(known.begin(), known.end());
    const std::regex call(R"re((record_event\(|rouble\.kind = |\bkind = )[^;]*;)re");
    const std::regex literal(R"re("([a-z]+\.[a-z_]+)")re");
    int found = 0;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(VIGIL_SOURCE_DIR) / "service")) {
        if (entry.path().extension() != ".cpp") continue;
        std::ifstream in(entry.path());
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        for (std::sregex_iterator one(text.begin(), text.end(), call), end; one != end; ++one) {
            const std::string words = one->str();
            for (std::sregex_iterator kind(words.begin(), words.end(), literal); kind != end;
                 ++kind) {
                CAPTURE(entry.path(), (*kind)[1].str());
                CHECK(kinds.contains((*kind)[1].str()));
                ++found;
            }
        }
    }
    CHECK(found > 30);
}
