#include "service/config/links.hpp"

#include <array>

#include <catch2/catch.hpp>

#include "service/config/text_rules.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

const Revision good_revision(std::string(40, 'a'));
const Revision bad_revision(std::string(40, 'b'));

Links project_links(const std::string& repository, const LinkConfig& own = {}) {
    Config config;
    ProjectConfig project;
    project.source.repository = repository;
    project.links = own;
    config.projects["lab"] = project;
    config.links.public_url = "https://vigil.example/perf";
    return links_of(config, "lab");
}

}  // namespace

TEST_CASE("A known forge's addresses come from the repository's", "[service][config]") {
    for (const char* repository :
         {"https://github.com/owner/name.git",
          "https://github.com/owner/name/",
          "git@github.com:owner/name.git",
          "ssh://git@github.com/owner/name",
          "github.com:owner/name"}) {
        CAPTURE(repository);
        const Links links = project_links(repository);
        CHECK(
            commit_url(links, bad_revision) ==
            "https://github.com/owner/name/commit/" + bad_revision.str());
        CHECK(
            range_url(links, good_revision, bad_revision) ==
            "https://github.com/owner/name/compare/" + good_revision.str() + "..." +
                bad_revision.str());
    }
    CHECK(
        commit_url(project_links("https://gitlab.com/group/sub/name"), bad_revision) ==
        "https://gitlab.com/group/sub/name/-/commit/" + bad_revision.str());
    CHECK(commit_url(project_links("https://github.com/owner/name"), Revision()).empty());
}

TEST_CASE("Nothing is guessed of what is not a known forge", "[service][config]") {
    for (const char* repository :
         {"/srv/github.com/owner/name",
          "https://github.com.evil.example/owner/name",
          "https://evil.example/github.com/owner/name",
          "https://user@github.com/owner/name",
          "https://github.com/owner",
          "https://github.com/owner/name/more",
          "https://github.com/owner/../name",
          "https://github.com/owner/na(me",
          "https://github.com/owner/name?x=1",
          "https://github.com//owner",
          "github.com/owner/name",
          ""}) {
        CAPTURE(repository);
        CHECK(guess_links(repository).commit_url.empty());
        CHECK(guess_links(repository).compare_url.empty());
    }
}

TEST_CASE("What is put into a template is percent-encoded", "[service][config]") {
    LinkConfig own;
    own.commit_url = "https://git.example/{project}/?id={revision}";
    Links links = project_links("https://github.com/owner/name", own);
    CHECK(commit_url(links, bad_revision) == "https://git.example/lab/?id=" + bad_revision.str());
    links.project = "a/b](x) c";
    CHECK(
        commit_url(links, bad_revision) ==
        "https://git.example/a%2Fb%5D%28x%29%20c/?id=" + bad_revision.str());
    CHECK(regression_url(links, RegressionId{7}) == "https://vigil.example/perf/regressions/7");
    CHECK(
        regression_data_url(links, RegressionId{7}) ==
        "https://vigil.example/perf/api/v1/regressions/7");
    links.templates.public_url.clear();
    CHECK(regression_url(links, RegressionId{7}).empty());
    links.templates.commit_url = "https://git.example/{other}";
    CHECK(commit_url(links, bad_revision).empty());
}

TEST_CASE("A template that cannot stand in a report is refused", "[service][config]") {
    CHECK(commit_url_problem("").empty());
    CHECK(commit_url_problem("https://git.example/{project}/commit/{revision}").empty());
    CHECK(compare_url_problem("http://git.example/?q={good}..{bad}").empty());
    CHECK(public_url_problem("http://vigil.example:8321/perf").empty());
    for (const char* text :
         {"https://git.example/commit/",
          "git.example/{revision}",
          "javascript:{revision}",
          "https://{revision}/x",
          "https://user@git.example/{revision}",
          "https://git.example/{revision} x",
          "https://git.example/({revision})",
          "https://git.example/{revision}\"",
          "https://git.example/{revision}{day}",
          "https://git.example/{revision}\n"}) {
        CAPTURE(text);
        CHECK_FALSE(commit_url_problem(text).empty());
    }
    CHECK_FALSE(compare_url_problem("https://git.example/{good}").empty());
    CHECK_FALSE(public_url_problem("https://vigil.example/").empty());
    CHECK_FALSE(public_url_problem("https://vigil.example/?x=1").empty());
}

TEST_CASE("Only a plain address may stand as a link", "[service][config]") {
    CHECK(is_plain_url("https://tracker.example/o/n/issues/3"));
    for (const char* text :
         {"",
          "/var/lib/x.md",
          "ftp://x",
          "https://x/)",
          "https://x/ y",
          "https://x/\"",
          "https://x/<"}) {
        CAPTURE(text);
        CHECK_FALSE(is_plain_url(text));
    }
}
