// The commits between a night and the one before it, as data and on pages.

#include "tests/integration/service/http/night_commits.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/integration/service/http/asked.hpp"
#include "tests/integration/service/http/browser.hpp"
#include "tests/integration/service/http/measured.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;
using Catch::Contains;

namespace {

void with_repository(Config& config) {
    config.http.open_pages = OpenReads::local;
    measure_small(config);
    auto& project = config.projects.at("demo");
    project.source.repository = "/srv/demo.git";
    project.links.commit_url = "https://git.example/demo/commit/{revision}";
}

nlohmann::json commits_of(const Service& service, int night) {
    const auto path = "/api/v1/nightlies/" + std::to_string(night) + "/commits";
    return json_of(service.client().send("GET", path));
}

std::string page_of(const Service& service, const std::string& path) {
    const auto reply = Browser(service).get(path);
    CAPTURE(path, reply.body);
    CHECK(reply.status == 200);
    return reply.body;
}

}  // namespace

TEST_CASE("A night tells the commits since the night before", "[service][http]") {
    Service service(with_repository);
    seed_all(service);
    const auto waiting = commits_of(service, 2);
    CHECK(waiting.at("state") == "listing");
    CHECK(waiting.at("since").is_null());
    CHECK_THAT(page_of(service, "/nightlies/2"), Contains("They are being listed."));

    keep_commits(service, NightlyId{2}, {"Sum in one pass", "Keep the buffer"}, 5);
    const auto told = commits_of(service, 2);
    CHECK(told.at("state") == "listed");
    CHECK(told.at("since").at("nightly") == 1);
    CHECK(told.at("count") == 7);
    CHECK(told.at("left_out") == 5);
    REQUIRE(told.at("commits").size() == 2);
    const auto& first = told.at("commits")[0];
    CHECK(first.at("subject") == "Sum in one pass");
    CHECK(first.at("author") == "Author Two");
    CHECK(first.at("authored_at_s") == 90);
    CHECK(first.at("url") == "https://git.example/demo/commit/" + hash_of('b'));

    const auto html = page_of(service, "/nightlies/2");
    CHECK_THAT(html, Contains("href=\"https://git.example/demo/commit/" + hash_of('b') + "\""));
    CHECK_THAT(html, Contains("<bdi>Keep the buffer</bdi>") && Contains("1970-01-01"));
    CHECK_THAT(html, Contains("5 older ones are left out"));
    CHECK(service.client().send("GET", "/api/v1/nightlies/99/commits").status == 404);
}

TEST_CASE("A night without listed commits says why", "[service][http]") {
    Service service(with_repository);
    seed_all(service);
    keep_commits(service, NightlyId{2}, {}, 0, "the branch was rewritten");
    CHECK(commits_of(service, 2).at("state") == "none");
    CHECK(commits_of(service, 2).at("why") == "the branch was rewritten");
    CHECK_THAT(
        page_of(service, "/nightlies/2"), Contains("None are listed: the branch was rewritten."));

    Service archives([](Config& config) { config.http.open_pages = OpenReads::local; });
    seed_all(archives);
    CHECK(commits_of(archives, 2).at("state") == "none");
    CHECK_THAT(page_of(archives, "/nightlies/2"), Contains("its project has no git history"));
}

TEST_CASE("What strangers wrote of their commits is words on the page", "[service][http]") {
    const std::string hostile = "</title><script>alert(1)</script>\u202E{{x}}";
    Service service(with_repository);
    seed_all(service);
    keep_commits(service, NightlyId{2}, {hostile + std::string(4096, 'x')});
    service.change(
        [&](Database& db) { return db.execute("UPDATE night_commit SET author = ?1", hostile); });
    const auto html = page_of(service, "/nightlies/2");
    CHECK_THAT(html, Contains("&lt;script&gt;alert(1)") && !Contains("<script>alert"));
    CHECK_THAT(html, !Contains("\u202E") && !Contains(std::string(200, 'x')));
}

TEST_CASE("A night of a series says how many commits came with it", "[service][http]") {
    Service service(with_repository);
    service.change([](Database& db) {
        add_measured_nights(db, {{"sum", "train", stepped(5, 5, 1e6, 1e6)}});
        return 0;
    });
    CHECK_THAT(page_of(service, "/series/1/nights/4"), Contains("nothing has listed all of them"));
    keep_commits(service, NightlyId{4}, {"one", "two"});
    const auto html = page_of(service, "/series/1/nights/4");
    CHECK_THAT(html, Contains("<a href=\"/nightlies/4#commits\">2 commits</a> came with"));
    CHECK_THAT(html, !Contains("nothing has listed all of them"));
}
