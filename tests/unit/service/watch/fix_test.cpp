#include "service/watch/recover/fix.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

TEST_CASE("The issue's address tells its tracker and its number", "[service][watch]") {
    const std::string commits = "https://github.com/Lab/tensors/commit/{revision}";
    const auto own = issue_of("https://github.com/lab/Tensors/issues/12", commits);
    REQUIRE(own.has_value());
    CHECK(own->place == "github.com/lab/tensors");
    CHECK(own->number == 12);
    CHECK(own->own);
    CHECK_FALSE(issue_of("https://github.com/lab/tensors-reports/issues/12", commits)->own);
    CHECK_FALSE(issue_of("https://git.example/lab/tensors/issues/12", commits)->own);
    CHECK_FALSE(issue_of("https://github.com/lab/tensors/issues/12", "")->own);
    CHECK(issue_of("http://127.0.0.1:80/repos/lab/tensors/issues/7", "")->number == 7);
    for (const std::string ref :
         {"",
          "report.md",
          "https://github.com/lab/tensors/issues/",
          "https:///issues/x",
          "https://github.com/lab/tensors/issues/12x",
          "https://github.com/lab/tensors/pull/12",
          "https://github.com/lab/tensors/issues/-1",
          "https://github.com/lab/tensors/issues/99999999999999999999999"}) {
        CAPTURE(ref);
        CHECK_FALSE(issue_of(ref, commits).has_value());
    }
}

TEST_CASE("What is stored about a mending is read back", "[service][watch]") {
    FixCommits commits;
    commits.range.commits = {
        {.revision = Revision(std::string(40, 'a')),
         .merge = Revision(std::string(40, 'b')),
         .subject = "Go \"back\"",
         .author = "A\u00e9",
         .claims = {{"abcdef0"}, {{"lab/tensors", 12}, {"", 3}}}}};
    commits.range.line_commits = 7;
    commits.range.rewritten = true;
    using Commits = TextColumn<FixCommits>;
    using Told = TextColumn<Fix>;
    const auto read = Commits::parse(Commits::text(commits));
    REQUIRE(read.range.commits.size() == 1);
    CHECK(read.range.commits[0].claims.fixes == commits.range.commits[0].claims.fixes);
    CHECK(read.range.commits[0].claims.reverts == commits.range.commits[0].claims.reverts);
    CHECK(Commits::text(read) == Commits::text(commits));
    Fix told;
    told.by = history::FixedBy::fix;
    told.revision = Revision(std::string(40, 'c'));
    told.others = 2;
    CHECK(Told::text(Told::parse(Told::text(told))) == Told::text(told));
    told.by.reset();
    told.unlisted = "no repository";
    CHECK(Told::text(Told::parse(Told::text(told))) == Told::text(told));
    CHECK_THROWS_AS(Told::parse("{}"), Error);
    CHECK_THROWS_AS(Commits::parse("[]"), Error);
}
