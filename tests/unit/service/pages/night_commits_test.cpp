#include "service/pages/night_commits.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/pages/common/render.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

/// @param url  template of a commit's address
NightCommitRange some_commits(int count, int left_out, const std::string& url) {
    NightCommitRange range;
    range.nightly = NightlyId{2};
    range.state = "listed";
    range.since = NightBefore{NightlyId{1}, "2024-01-01", {}};
    range.count = count;
    range.links.templates.commit_url = url;
    for (int i = left_out; i < count; ++i) {
        range.commits.push_back(
            {Revision(std::string(40, 'b')),
             "subject <" + std::to_string(i) + ">",
             "Author Two",
             90});
    }
    return range;
}

std::string html_of(const NightCommitRange& commits) {
    return render("night_commits.html", night_commits_view(commits, 100));
}

}  // namespace

TEST_CASE("A night's commits are a table with links where there are any", "[service][pages]") {
    const auto linked = html_of(some_commits(2, 0, "https://git.example/commit/{revision}"));
    CHECK_THAT(linked, Contains("2 commits, oldest first.") && Contains("subject &lt;1&gt;"));
    CHECK_THAT(linked, Contains("<a href=\"https://git.example/commit/bbbb"));
    CHECK_THAT(linked, Contains("Since <a href=\"/nightlies/1\">"));
    const auto bare = html_of(some_commits(2, 0, ""));
    CHECK_THAT(bare, Contains("<code>bbbbbbbbbb</code>") && !Contains("git.example"));
    CHECK_THAT(html_of(some_commits(9, 1, "")), Contains("1 older one is left out."));
    CHECK(brought_view(some_commits(9, 1, "")).at("words") == "9 commits");
}

TEST_CASE("A night without commits is a sentence", "[service][pages]") {
    auto commits = some_commits(0, 0, "");
    CHECK_THAT(html_of(commits), Contains("one revision.") && !Contains("<table"));
    commits.state = "none";
    commits.since.reset();
    commits.none = "it is the first night of its project";
    CHECK_THAT(html_of(commits), Contains("None are listed: it is the first night"));
    CHECK(brought_view(commits).is_null());
    commits.state = "listing";
    CHECK_THAT(html_of(commits), Contains("They are being listed."));
}
