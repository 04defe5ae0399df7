// Whoever decides by what they read is refused where it changed, and not for what the daemon does
// meanwhile.

#include "service/api/common/tags.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "service/api/route.hpp"
#include "tests/integration/service/http/asked.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

struct MovedThing {
    std::string shown;        ///< of the API
    const char* bookkeeping;  ///< what the daemon writes by itself
    const char* decision;     ///< what somebody decides upon
};

const std::vector<MovedThing>& all_moved() {
    static const std::vector<MovedThing> all{
        {"regressions/1",
         "INSERT INTO report (kind, project_id, regression_id, version, title, body, created_at_s) "
         "VALUES ('regression', 1, 1, 2, 'told anew', 'text', 200); "
         "UPDATE regression SET changed_at_s = 999; "
         "UPDATE outbox SET external_ref = 'https://tracker.example/issues/7'",
         "UPDATE regression SET assigned = 'ada'"},
        {"nightlies/1",
         "UPDATE job SET nightly_id = 1 WHERE id = 2",
         "INSERT INTO withdrawal (nightly_id, reason, token, cut_off, created_at_s) "
         "VALUES (1, 'hot', 'ada', 0, 200)"},
        {"jobs/2",
         "UPDATE job SET lease_expires_at_s = 999, progress = 'step 2 of 9' WHERE id = 2",
         "UPDATE job SET state = 'cancelled' WHERE id = 2"},
        {"requests/1",
         "INSERT INTO session(project_id, a_build_id, b_build_id, benchmark, variant, "
         "machine_class_id, request_id, state, created_at_s) SELECT project_id, id, id, 'sum', "
         "'train', 1, 1, 'open', 1 FROM build WHERE id = 1",
         "UPDATE request SET state = 'cancelled'"},
        {"workers",
         "UPDATE worker SET last_seen_at_s = last_seen_at_s + 30",
         "UPDATE worker SET state = 'quarantined', reason = 'its fan'"},
        {"series/1",
         "DELETE FROM measurement WHERE series_id = 1",
         "INSERT INTO baseline (series_id, kind, nightly_id, reason, created_at_s) "
         "VALUES (1, 'pinned', 1, 'by hand', 300)"},
        {"bisections/1",
         "UPDATE probe SET created_at_s = 999; UPDATE suspect SET build_id = NULL",
         "UPDATE bisection SET state = 'failed'"},
        {"reports/1",
         "UPDATE outbox SET attempts = attempts + 1, message = 'no answer'",
         "UPDATE outbox SET state = 'dead'"},
        {"outbox/1",
         "UPDATE outbox SET attempts = attempts + 1, message = 'no answer'",
         "UPDATE outbox SET state = 'pending'"},
        {"notices/1",
         "UPDATE notice SET attempts = attempts + 1, message = 'no answer', changed_at_s = 999",
         "UPDATE notice SET state = 'dead'"},
        {"tokens",
         "UPDATE token SET used_at_s = 99999",
         "INSERT INTO token (name, scope, hash, created_at_s) VALUES ('new', 'read', 'h', 300)"}};
    return all;
}

}  // namespace

TEST_CASE(
    "What the daemon writes by itself leaves the tag that If-Match names", "[service][http]") {
    Service service(measure_small);
    seed_all(service);
    const auto admin = service.client(service.token("admin", Scope::admin));
    admin.send(
        "POST", "/api/v1/comparisons", R"({"project":"demo","a":"aaaa","b":"bbbb","runs":2})");
    for (const auto& [shown, bookkeeping, decision] : all_moved()) {
        CAPTURE(shown);
        const auto read = [&, path = "/api/v1/" + shown] {
            const auto answer = admin.send("GET", path);
            REQUIRE(answer.status == 200);
            return answer;
        };
        const auto write = [&](const char* sql) {
            service.change([&](Database& db) { return db.execute_script(sql), 0; });
        };
        const auto first = read();
        write(bookkeeping);
        const auto later = read();
        CHECK(names_seen(first.headers.at("etag"), later.headers.at("etag")));
        // A cache holds both apart.
        CHECK((first.body == later.body) == (first.headers.at("etag") == later.headers.at("etag")));
        write(decision);
        CHECK_FALSE(names_seen(first.headers.at("etag"), read().headers.at("etag")));
    }
}

TEST_CASE("A packed reply's tag names the same as the plain one's", "[service][http]") {
    Service service;
    seed_all(service);
    const auto admin = service.client(service.token("admin", Scope::admin));
    const std::string path = "/api/v1/regressions/1";
    const auto packed = admin.send("GET", path, "", {{"accept-encoding", "gzip"}});
    const auto tag = packed.headers.at("etag");
    REQUIRE(tag.ends_with("-gzip\""));
    CHECK(admin.send("POST", path + "/assign", R"({"to":"ada"})", {{"if-match", tag}}).ok());
    const auto stale = admin.send("POST", path + "/assign", R"({"to":""})", {{"if-match", tag}});
    CHECK(stale.status == 412);
}

TEST_CASE("A list of tags is compared by what each is of", "[service][http]") {
    const std::string tag = R"("5f0c-77")";
    for (const auto* list :
         {R"("5f0c-77")", R"(W/"5f0c-12-gzip")", R"("ab", "5f0c")", "*", R"("", *)"}) {
        CAPTURE(list);
        CHECK(names_seen(list, tag));
    }
    for (const auto* list :
         {"", "5f0c-77", R"("5f0")", R"("5f0cd-77")", R"("")", ",", " , W/", "\"-"}) {
        CAPTURE(list);
        CHECK_FALSE(names_seen(list, tag));
    }
}

TEST_CASE("docs/api.md lists what tags leave out for If-Match", "[service][http]") {
    std::ifstream in(VIGIL_SOURCE_DIR "/docs/api.md");
    std::stringstream page;
    page << in.rdbuf();
    const std::string heading = "| Read | Keys, at any depth |\n| --- | --- |\n";
    auto text = page.str();
    const auto begin = text.find(heading);
    REQUIRE(begin != text.npos);
    text = text.substr(begin + heading.size());
    text.resize(text.find("\n\n") + 1);
    int moving = 0;
    for (const auto& route : all_routes()) {
        if (route.moving.empty()) continue;
        ++moving;
        std::istringstream words{std::string(route.moving)};
        std::string keys;
        for (std::string key; words >> key;) keys += (keys.empty() ? "`" : ", `") + key + "`";
        const auto path = std::string(route.pattern.substr(std::string_view("/api/v1").size()));
        CAPTURE(path, keys);
        CHECK(text.find("| `GET " + path + "` | " + keys + " |\n") != text.npos);
    }
    CHECK(moving >= 10);
    CHECK(std::ranges::count(text, '\n') == moving);  // and no other
}
