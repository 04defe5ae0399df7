#include "service/watch/recover/fix.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

const double before = std::log(100.0);
const double after = std::log(120.0);

/// Nights 1, 2, ... of these values; the last is measured as back.
std::vector<LaterNight> nights(const std::vector<double>& values) {
    std::vector<LaterNight> all;
    for (const double value : values) {
        all.push_back(
            {NightlyId{static_cast<std::int64_t>(all.size()) + 1}, std::log(value), {}, false});
    }
    return all;
}

std::optional<NightlyId> bad_of(const std::vector<LaterNight>& all, double spread = 0.01) {
    return newest_bad(all, before, after, spread);
}

}  // namespace

TEST_CASE("The night before is the last bad one where it was as bad", "[service][watch]") {
    CHECK(bad_of(nights({120, 121, 119, 100})) == NightlyId{3});
    CHECK(bad_of(nights({120, 121, 145, 100})) == NightlyId{3});
}

TEST_CASE("A night that looks better, or between, is not called bad", "[service][watch]") {
    CHECK(bad_of(nights({120, 121, 101, 100})) == NightlyId{2});
    CHECK(bad_of(nights({120, 121, 112, 100})) == NightlyId{2});
    CHECK(bad_of(nights({101, 100, 100})) == std::nullopt);
    CHECK(bad_of(nights({100})) == std::nullopt);
    CHECK(bad_of({}) == std::nullopt);
}

TEST_CASE("A session's word on a night counts, not the night's own value", "[service][watch]") {
    auto all = nights({120, 121, 101, 100});
    all[2].was_requested = true;
    CHECK(bad_of(all) == NightlyId{2});
    all[2].still_bad = true;
    CHECK(bad_of(all) == NightlyId{3});
    all = nights({120, 120, 120, 100});
    all[2].was_requested = true;  // undecided
    CHECK(bad_of(all) == NightlyId{2});
}

TEST_CASE("Where nights scatter as far as the change, none is called bad", "[service][watch]") {
    const auto all = nights({120, 100, 121, 95, 122, 98, 119, 100});
    CHECK(bad_of(all, 0.01) == NightlyId{7});
    CHECK(bad_of(all, 0.08) == std::nullopt);
}

TEST_CASE("Where the machine got slower, what is back lies higher", "[service][watch]") {
    CHECK(bad_of(nights({120, 132, 131, 110, 110})) == NightlyId{3});
    CHECK(bad_of(nights({120, 121, 118, 117})) == std::nullopt);
}

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
