// What a report says of series that came back.

#include <catch2/catch.hpp>

#include "service/report/render/render_regression.hpp"
#include "service/report/render/sections.hpp"
#include "tests/unit/service/report/state_facts.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

bool tells(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string short_hash_of(int position) {
    return example_revision(position).brief();
}

std::string told_as(Fix told, Links links = {}) {
    auto fact = revert_fact();
    fact.told = std::move(told);
    return fix_words(links, fact);
}

}  // namespace

TEST_CASE("What fixed is told as strongly as it is known, and no stronger", "[service]") {
    Fix told;
    told.line_commits = 12;
    told.by = history::FixedBy::one_of;
    const std::string ends = "after `" + short_hash_of(50) + "` up to `" + short_hash_of(60) + "`";
    CHECK(told_as(told) == "by one of 12 commits " + ends);
    CHECK(tells(told_as(told, example_links()), "[12 commits](https://git.example/tensorlab/"));
    told.candidates = {example_revision(51), example_revision(53)};
    CHECK(
        told_as(told) == "as measured by one or more of `" + short_hash_of(51) + "`, `" +
                             short_hash_of(53) + "`, among 12 commits " + ends);
    told.candidates = {};
    told.line_commits = 0;
    CHECK(told_as(told) == "without a commit: both builds are of one revision");
    told.line_commits = 1;
    told.only = true;
    told.revision = example_revision(51);
    told.by = history::FixedBy::only;
    const std::string commit = "by `" + short_hash_of(51) + "`, ";
    CHECK(told_as(told) == commit + "the only commit in between");
    told.by = history::FixedBy::fix;
    CHECK(
        told_as(told) ==
        commit + "which says that it fixes this issue; it is the only commit in between");
    told.by = history::FixedBy::measured;
    CHECK(told_as(told) == commit + "built and measured with it and without");
    told.only = false;
    told.by = history::FixedBy::revert;
    told.reverts = example_revision(15);
    CHECK(told_as(told) == "reverted " + commit + "as its text says");
    told.of_suspects = true;
    CHECK(
        told_as(told) ==
        commit + "whose text says that it reverts the suspect `" + short_hash_of(15) + "`");
    told = {};
    told.unlisted = "the repository is gone <!--";
    CHECK(tells(told_as(told), "by a commit " + ends + " (the repository is gone "));
    CHECK_FALSE(tells(told_as(told), "<!--"));
}

TEST_CASE("Commits that are not listed yet are told as such", "[service][report]") {
    RegressionFacts facts = recovered_facts();
    facts.fixes[0].told.reset();
    const auto body = render_regression(facts).body;
    CHECK(tells(body, "Recovered, nothing to do: the commits in between are being listed;"));
    CHECK(tells(body, "; the commits in between are being listed.\n"));
}

TEST_CASE("What an older version closed is told without a commit", "[service][report]") {
    RegressionFacts facts = recovered_facts();
    facts.fixes.clear();
    const auto body = render_regression(facts).body;
    CHECK(tells(body, "**Recovered, nothing to do. Commit "));
    CHECK(tells(body, ": back in `2026-11-23`; what fixed it was not looked for.\n"));
}

TEST_CASE("A series that a person opened again is not told as back", "[service][report]") {
    RegressionFacts facts = recovered_facts();
    facts.state = RegressionState::reported;
    for (auto& series : facts.series) series.recovered_night.clear();
    facts.fixes.clear();
    const auto body = render_regression(facts).body;
    CHECK_FALSE(tells(body, "### What is back"));
    CHECK(tells(body, "**Commit "));
}

TEST_CASE("What is read beside the named commit is said", "[service][report]") {
    RegressionFacts facts = recovered_facts();
    facts.fixes[0].told->others = 2;
    facts.fixes[0].told->unread_commits = 3;
    facts.fixes[0].told->rewritten = true;
    const auto body = recovered_section(facts);
    CHECK(tells(body, "; 2 more say so"));
    CHECK(tells(body, "; the texts of 3 commits were not read"));
    CHECK(tells(body, "the branch was rewritten in between"));
}
