#include "service/report/render/render_culprit.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/report/send/commit_pull.hpp"
#include "tests/unit/service/report/golden.hpp"
#include "tests/unit/service/report/hostile_texts.hpp"
#include "tests/unit/service/report/rendered.hpp"
#include "tests/unit/service/report/state_facts.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

CulpritTold culprit_told(RegressionFacts facts) {
    const auto revision = example_revision(15);
    return {std::move(facts), revision, "https://tracker.example/owner/name/issues/12"};
}

/// As it is found, then accepted, recovered, and without its culprit.
std::vector<CulpritTold> all_told() {
    std::vector<CulpritTold> all;
    for (auto facts : {example_facts(), accepted_facts(), recovered_facts(), range_facts()}) {
        facts.hears_comments = all.empty();
        all.push_back(culprit_told(std::move(facts)));
    }
    return all;
}

}  // namespace

TEST_CASE("A pull request reads what it brought, in a paragraph", "[service][report]") {
    const auto text = render_culprit(all_told());
    CHECK(text == golden("culprit_pull.md", text));
}

TEST_CASE("Without an issue's address the regression is named", "[service][report]") {
    auto told = culprit_told(example_facts());
    told.issue = "javascript:alert(1)/7";
    told.facts.links = {};
    CHECK_THAT(render_culprit({told}), Contains("how it was measured is in regression 7."));
    CHECK_THAT(render_culprit({told}), Contains("`vigil regression accept 7 --reason"));
}

TEST_CASE("No text of a stranger takes effect on a culprit's pull request", "[service][report]") {
    const auto say = [](const std::string& text) {
        auto told = all_told();
        for (auto& one : told) {
            one.facts.project = one.facts.reason = one.facts.search_summary = text;
            for (auto& series : one.facts.series) {
                series.benchmark = series.variant = series.machine_class = text;
                series.unit = text;
            }
            for (auto& suspect : one.facts.suspects) suspect.subject = suspect.author = text;
            for (auto& ending : one.facts.endings) ending.reason = text;
            if (one.facts.answer) one.facts.answer->by = one.facts.answer->reason = text;
        }
        return html_of(render_culprit(told));
    };
    for (const auto& text : hostile_texts()) {
        CAPTURE(text);
        CHECK(signs_of_strangers(say(text)) == "");
    }
}

TEST_CASE("The pull request that brought a commit was merged here", "[service][report]") {
    const auto pull = [](int number, const char* merged_at, const char* into, const char* merge) {
        return nlohmann::json{
            {"number", number},
            {"merged_at", merged_at[0] == 0 ? nlohmann::json() : nlohmann::json(merged_at)},
            {"merge_commit_sha", merge},
            {"base", {{"repo", {{"full_name", into}}}}}};
    };
    const Revision commit(std::string(40, 'a'));
    const auto hash = commit.str();
    const auto among = [&](const nlohmann::json& all) {
        return pull_that_brought(all, commit, "owner/name");
    };
    CHECK_FALSE(among(nlohmann::json::array()));
    CHECK_FALSE(among({pull(1, "", "owner/name", ""), pull(2, "2026-01-01", "fork/name", "")}));
    CHECK(
        among({pull(2, "2026-01-02", "Owner/Name", ""), pull(1, "2026-01-01", "owner/name", "")}) ==
        1);
    CHECK(
        among(
            {pull(1, "2026-01-01", "owner/name", ""),
             pull(3, "2026-01-03", "owner/name", hash.c_str())}) == 3);
    // What is no list of pull requests names none.
    CHECK_FALSE(among({1, "x", nullptr, {{"number", "7"}, {"merged_at", "2026-01-01"}}}));
}
