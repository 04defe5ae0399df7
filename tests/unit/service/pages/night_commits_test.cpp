#include "service/pages/night_commits.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/pages/common/render.hpp"

using namespace vigil::service;
using Catch::Contains;
using nlohmann::json;

namespace {

json some_commits(int count, int left_out, const json& url) {
    auto commits = json::array();
    for (int i = left_out; i < count; ++i) {
        commits.push_back(
            {{"revision", std::string(40, 'b')},
             {"subject", "subject <" + std::to_string(i) + ">"},
             {"author", "Author Two"},
             {"authored_at_s", 90},
             {"url", url}});
    }
    return {
        {"nightly", 2},
        {"state", "listed"},
        {"why", ""},
        {"since", {{"nightly", 1}, {"name", "2024-01-01"}}},
        {"range", nullptr},
        {"count", count},
        {"left_out", left_out},
        {"commits", std::move(commits)}};
}

std::string html_of(const json& commits) {
    return render("night_commits.html", night_commits_view(commits, 100));
}

}  // namespace

TEST_CASE("A night's commits are a table with links where there are any", "[service][pages]") {
    const auto linked = html_of(some_commits(2, 0, "https://git.example/commit/b"));
    CHECK_THAT(linked, Contains("2 commits, oldest first.") && Contains("subject &lt;1&gt;"));
    CHECK_THAT(linked, Contains("<a href=\"https://git.example/commit/b\" rel=\"noreferrer\">"));
    CHECK_THAT(linked, Contains("Since <a href=\"/nightlies/1\">"));
    const auto bare = html_of(some_commits(2, 0, nullptr));
    CHECK_THAT(bare, Contains("<code>bbbbbbbbbb</code>") && !Contains("git.example"));
    CHECK_THAT(html_of(some_commits(9, 1, nullptr)), Contains("1 older one is left out."));
    CHECK(brought_view(some_commits(9, 1, nullptr)).at("words") == "9 commits");
}

TEST_CASE("A night without commits is a sentence", "[service][pages]") {
    auto commits = some_commits(0, 0, nullptr);
    CHECK_THAT(html_of(commits), Contains("one revision.") && !Contains("<table"));
    commits["state"] = "none";
    commits["since"] = nullptr;
    commits["why"] = "it is the first night of its project";
    CHECK_THAT(html_of(commits), Contains("None are listed: it is the first night"));
    CHECK(brought_view(commits).is_null());
    commits["state"] = "listing";
    CHECK_THAT(html_of(commits), Contains("They are being listed."));
}
