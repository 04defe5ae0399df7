#include "service/report/render/render_regression.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "schema/text/numbers.hpp"
#include "service/report/facts/news.hpp"
#include "service/report/render/sections.hpp"
#include "tests/unit/service/report/state_facts.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("A search that begins where two lines part says so", "[service][report]") {
    RegressionFacts facts = example_facts();
    CHECK_FALSE(holds(render_regression(facts).body, "Search begins at"));
    facts.parted_at = example_revision(3);
    const auto body = render_regression(facts).body;
    CHECK(holds(body, "- Search begins at: [`" + example_revision(3).brief() + "`]("));
    CHECK(holds(body, "the branch was rewritten"));
}

TEST_CASE("The report on what a merge brought names the merge", "[service][report]") {
    const Document document = render_regression(inside_facts());
    CHECK(document.title.ends_with("since 2026-11-20: " + example_revision(15).brief()));
    CHECK(holds(
        first_line(document.body),
        "brought by the merge [`" + example_revision(40).brief() + "`]("));
    CHECK_FALSE(holds(document.body, "@all"));
}

TEST_CASE("What else moved the series is told with its own report", "[service][report]") {
    RegressionFacts facts = example_facts();
    CHECK_FALSE(holds(render_regression(facts).body, "Other changes"));
    facts.links = {};
    OtherChangeFact own;
    own.series = 1;
    own.regression = RegressionId{12};
    own.first = own.last = example_revision(17);
    own.verified = true;
    own.change_ratio = 0.101;
    OtherChangeFact searched = own;
    searched.regression = RegressionId{13};
    searched.first = searched.last = Revision{};
    searched.verified = false;
    OtherChangeFact small = own;
    small.series = 0;
    small.regression.reset();
    small.first = small.last = example_revision(14);
    small.change_ratio = 0.042;
    OtherChangeFact remaining;
    remaining.first = example_revision(2);
    remaining.last = example_revision(9);
    remaining.change_ratio = 0.08;
    remaining.remains = true;
    remaining.remaining = 0.85;
    facts.others = {own, searched, small, remaining};
    const auto body = render_regression(facts).body;
    const auto brief = [](int n) { return example_revision(n).brief(); };
    CHECK(holds(body, "### Other changes in the range\n"));
    CHECK(holds(body, "- S2: +10.1 %, verified, by commit `" + brief(17) + "`"));
    CHECK(holds(body, ": regression 12.\n"));
    CHECK(holds(body, "- S2: commits not narrowed yet: regression 13.\n"));
    CHECK(holds(body, "- S1: +4.2 %, verified, by commit `" + brief(14) + "`"));
    CHECK(holds(body, "too small for a report of its own.\n"));
    CHECK(holds(
        body,
        "- S1: about +8.0 % most likely remains in commits `" + brief(2) + "` to `" + brief(9) +
            "`, and was not found (chance of such a change: 85 %).\n"));
    CHECK(holds(body, "<- another change"));
    facts.others.assign(30, own);
    CHECK(holds(render_regression(facts).body, "\n- and 10 more\n"));
}

TEST_CASE("A merge that is the culprit says what was searched inside", "[service][report]") {
    RegressionFacts facts = merge_facts();
    facts.links = {};
    const std::string body = render_regression(facts).body;
    CHECK_FALSE(holds(first_line(body), "brought by"));
    CHECK(holds(body, "<summary>Merges that were searched inside</summary>"));
    CHECK(holds(body, "parent 2: 7 commits after `" + example_revision(9).brief() + "`"));
    CHECK(holds(body, "do not show the change alone"));
    CHECK(holds(body, "(left: `" + example_revision(48).brief() + "`, `"));
    CHECK(holds(body, "- Range: 24 commits\n"));
    facts.insides.clear();
    CHECK(holds(render_regression(facts).body, "what it brought was not searched"));
    facts.suspects[15].merge = false;
    CHECK_FALSE(holds(render_regression(facts).body, "searched inside"));
}

TEST_CASE("A culprit that moves a submodule names the commit there", "[service][report]") {
    RegressionFacts facts = example_facts();
    facts.links = {};
    InsideFact inside;
    inside.merge = *facts.culprit;
    inside.dependency = "third_party/x`y";
    inside.commits = 10;
    inside.said = "it can only be narrowed.";
    facts.insides = {inside};
    auto body = render_regression(facts).body;
    CHECK(holds(body, "`: none of its 10 commits is named: it can only be narrowed\n"));
    CHECK_FALSE(holds(body, "Came in by"));
    CHECK_FALSE(holds(body, "searched inside"));
    facts.insides[0].named = {{Revision(std::string(40, 'c')), "faster x", "Author One"}};
    facts.insides[0].change_ratio = 0.123;
    body = render_regression(facts).body;
    CHECK(holds(body, "`" + std::string(40, 'c') + "` `faster x` by `Author One`"));
    CHECK(holds(body, "(+12.3 %, of 10 commits)\n"));
    facts.insides[0].change_ratio = 0;
    CHECK(holds(render_regression(facts).body, "(the only one between)\n"));
}

TEST_CASE("A range that holds merges says what was searched inside", "[service][report]") {
    RegressionFacts facts = range_facts();
    facts.insides = merge_facts().insides;
    facts.links = {};
    const std::string body = render_regression(facts).body;
    CHECK(holds(body, "The range holds merges."));
    CHECK(holds(body, "parent 2: 7 commits after `"));
    CHECK_FALSE(holds(body, "The culprit is a merge"));
}

TEST_CASE("The chart marks what is known of each commit, by its hash", "[service][report]") {
    RegressionFacts facts = example_facts();
    facts.levels[0][3].runs = 1;
    facts.levels[0].insert(facts.levels[0].begin() + 2, {13, 0.001, 2, 12});
    const auto body = render_regression(facts).body;
    const auto row = [&](int position) {
        const auto at = body.find("\n" + example_revision(position).brief() + "  ");
        REQUIRE(at != body.npos);
        return body.substr(at + 1, body.find('\n', at + 1) - at - 1);
    };
    CHECK(holds(row(0), "good build"));
    CHECK(holds(row(13), "the same product as " + example_revision(12).brief()));
    CHECK(holds(row(14), "measured against the culprit"));
    CHECK(holds(row(15), "<- culprit"));
    CHECK(holds(row(15), ", one run") != holds(row(14), ", one run"));
    CHECK(holds(row(24), "bad build"));
    CHECK_FALSE(holds(body, "(15)"));
}

TEST_CASE("The report says what part of the change its culprits explain", "[service][report]") {
    RegressionFacts facts = example_facts();
    CHECK(holds(
        render_regression(facts).body,
        "The culprit explains 100 % of the change that was confirmed."));
    facts.series[0].verified->change_ratio = 0.049;
    const auto body = render_regression(facts).body;
    CHECK(holds(body, "- S1: 28 % of the confirmed +18.3 % is explained; about +12.8 % is of"));
    CHECK(holds(body, "and this regression open."));
    OtherChangeFact other;
    other.verified = true;
    other.first = other.last = example_revision(20);
    other.change_ratio = 0.128;
    facts.others = {other};
    CHECK(holds(
        render_regression(facts).body,
        "The culprit and the other changes below explain 100 % of the change that was confirmed."));
    facts.culprit.reset();
    CHECK_FALSE(explained_of(facts, 0));
}

TEST_CASE("The report tells of no rest that is within the error", "[service][report]") {
    RegressionFacts facts = example_facts();
    auto& verified = *facts.series[0].verified;
    facts.series[0].confirmed.change_ratio = 0.121;
    facts.series[0].confirmed.low = 0.07;
    facts.series[0].confirmed.high = 0.175;
    verified.change_ratio = 0.168;
    verified.low = 0.14;
    verified.high = 0.197;
    auto body = render_regression(facts).body;
    CHECK_FALSE(holds(body, "What is not explained"));
    CHECK_FALSE(holds(body, "136 %"));
    CHECK(holds(body, "explains the change that was confirmed, within the error of both"));
    // Where both are known well the same numbers leave a rest.
    facts.series[0].confirmed.low = 0.117;
    facts.series[0].confirmed.high = 0.125;
    verified.low = 0.164;
    verified.high = 0.172;
    body = render_regression(facts).body;
    CHECK(holds(body, "about -4.0 % is of changes that were not found"));
}

TEST_CASE("Without verification no commit is called the culprit", "[service][report]") {
    RegressionFacts facts = example_facts();
    facts.culprit.reset();
    facts.left = {example_revision(15)};
    facts.state = RegressionState::range;
    facts.reason = "verification did not confirm it";
    const Document document = render_regression(facts);
    CHECK(holds(first_line(document.body), "not proven: verification did not confirm it"));
    CHECK_FALSE(holds(document.body, "- Commit: `"));
    CHECK_FALSE(holds(document.body, "<- culprit"));
    CHECK(document.title.ends_with(": one of 1 commit"));
}

TEST_CASE("The verdict comes first and tells what became of it", "[service][report]") {
    RegressionFacts facts = example_facts();
    CHECK(holds(first_line(render_regression(facts).body), "Fix or revert it"));
    facts.state = RegressionState::closed;
    facts.ended_as = RegressionEnd::recovered;
    CHECK(render_regression(facts).body.starts_with("**Recovered, nothing to do."));
    facts.ended_as = RegressionEnd::joined;
    facts.reason = "the same culprit as regression 3";
    CHECK(render_regression(facts).body.starts_with(
        "**Closed, nothing to do: the same culprit as regression 3."));
    facts.ended_as.reset();
    facts.state = RegressionState::accepted;
    CHECK(render_regression(facts).body.starts_with("**Accepted as the new level"));
    facts.state = RegressionState::searching;
    facts.culprit.reset();
    CHECK(holds(first_line(render_regression(facts).body), "the search among 24 commits goes on"));
}

TEST_CASE("A report says that the night that raised it was withdrawn", "[service][report]") {
    RegressionFacts facts = example_facts();
    CHECK_FALSE(holds(render_regression(facts).body, "withdrawn"));
    facts.withdrawn = {"withdrawn by ada: wrong driver @all"};
    const auto body = render_regression(facts).body;
    CHECK(holds(body, "raised this: withdrawn by ada: wrong driver"));
    CHECK_FALSE(holds(body, "@all"));
}

TEST_CASE("A benchmark that no longer runs has no invented figures", "[service][report]") {
    const Document document = render_regression(broken_facts(Outcome::failed));
    CHECK(holds(first_line(document.body), "stop working"));
    CHECK(holds(document.body, "| runs | fails | 2 + 2 |"));
    CHECK(holds(first_line(render_regression(broken_facts(Outcome::oom)).body), "out of memory"));
    CHECK(holds(render_regression(broken_facts(Outcome::wrong)).body, "| wrong answer |"));
    CHECK(holds(render_regression(broken_facts(Outcome::timeout)).body, "end no longer in time"));
    CHECK_FALSE(holds(document.body, "inf"));
    CHECK_FALSE(holds(document.body, "nan"));
}

TEST_CASE(
    "A report never exceeds what an issue holds, and says what it left out", "[service][report]") {
    RegressionFacts facts = example_facts();
    const auto probe = facts.probes.front();
    for (int i = 6; i < 3000; ++i) {
        facts.probes.push_back(probe);
        facts.probes.back().number = i;
    }
    const Document document = render_regression(facts);
    CHECK(document.body.size() <= max_body_bytes);
    CHECK(document.body.size() > max_body_bytes / 2);
    CHECK(holds(document.body, "did not fit here"));
    CHECK(holds(document.body, "</details>"));
    CHECK(document.body.ends_with(facts.marker + "\n"));

    facts.reproduction.benchmark->command.assign(100, std::string(2000, 'x'));
    const Document clipped = render_regression(facts);
    CHECK(clipped.body.size() <= max_body_bytes);
    CHECK(holds(clipped.body, "left out here"));
    CHECK(clipped.body.ends_with(facts.marker + "\n"));
}

TEST_CASE("Probes asked for another regression's series are counted only", "[service][report]") {
    RegressionFacts facts = example_facts();
    auto probe = facts.probes.front();
    probe.number = 6;
    probe.positions = {0, 9, 9, 0};
    for (auto& run : probe.runs) {
        run.values.clear();
        run.position = run.position == 0 ? 0 : 9;
    }
    facts.probes.push_back(probe);
    const std::string one = render_regression(facts).body;
    CHECK(holds(one, "6 probes"));
    CHECK_FALSE(holds(one, "| 7 | search"));
    CHECK(holds(one, "1 probe measured series of another regression and is not listed"));

    facts.probes.back().runs.back().outcome = Outcome::failed;
    CHECK(holds(render_regression(facts).body, "| 7 | search"));
}

TEST_CASE("A report on a regression whose series are gone still renders", "[service][report]") {
    RegressionFacts facts;
    facts.id = RegressionId{1};
    facts.marker = "<!-- m -->";
    const Document document = render_regression(facts);
    CHECK_FALSE(document.title.empty());
    CHECK(document.body.ends_with("<!-- m -->\n"));
}

TEST_CASE("Every state of a regression renders", "[service][report]") {
    for (const auto& [state, name] : enum_names<RegressionState>) {
        CAPTURE(name);
        RegressionFacts facts = range_facts();
        facts.state = state;
        const Document document = render_regression(facts);
        CHECK(document.body.starts_with("**"));
        CHECK(document.body.size() <= max_body_bytes);
    }
}

TEST_CASE("Ten series are shown, those after them are folded", "[service][report]") {
    RegressionFacts facts = example_facts();
    while (facts.series.size() < 12) facts.series.push_back(facts.series.back());
    const auto body = render_regression(facts).body;
    const auto fold = body.find("Those were the top 10 of 12 series");
    REQUIRE(fold != body.npos);
    CHECK(body.find("| S10: ") < fold);
    CHECK(body.find("| S11: ") > fold);
    CHECK(body.find("| S12: ") != body.npos);
}

TEST_CASE(
    "Commits, range and regression are links where their address is known", "[service][report]") {
    RegressionFacts facts = example_facts();
    const std::string culprit = facts.culprit->str();
    const auto body = render_regression(facts).body;
    CHECK(holds(body, "](https://git.example/tensorlab/commit/" + culprit + ")"));
    CHECK(holds(
        body,
        "](https://git.example/tensorlab/compare/" + facts.good.revision.str() + ".." +
            facts.bad.revision.str() + ")"));
    CHECK(holds(body, "[its page](https://vigil.example/regressions/7)"));
    CHECK(holds(body, "](https://vigil.example/series/3), CPU time |"));
    facts.links = {};
    CHECK_FALSE(holds(render_regression(facts).body, "]("));
}

TEST_CASE("No text of a stranger becomes a part of an address", "[service][report]") {
    RegressionFacts facts = example_facts();
    const std::string hostile = "x](https://evil.example) [y](javascript:z) https://evil.example";
    for (auto& suspect : facts.suspects) suspect.subject = suspect.author = hostile;
    facts.project = facts.links.project = hostile;
    const auto body = render_regression(facts).body;
    CHECK_FALSE(holds(body, "https://evil.example"));
    int links = 0;
    bool in_code = false;  // where nothing is a link
    for (std::size_t at = 0; at + 1 < body.size(); ++at) {
        if (body[at] == '`') in_code = !in_code;
        if (in_code || body.compare(at, 2, "](") != 0) continue;
        ++links;
        const auto url = body.substr(at + 2, body.find(')', at) - at - 2);
        CAPTURE(url);
        CHECK(
            (url.starts_with("https://git.example/") || url.starts_with("https://vigil.example/")));
    }
    CHECK(links > 10);
}

TEST_CASE("An issue tells where its series stand today", "[service][report]") {
    auto facts = example_facts();
    facts.state = RegressionState::reported;
    Comparison level;
    level.change_ratio = 0.066;
    level.low = 0.051;
    level.high = 0.082;
    level.runs_before = level.runs_after = 32;
    facts.series[0].today = LevelToday{NightlyId{9}, "2026-11-25", level};
    const auto document = render_regression(facts);
    CHECK(document.title.find("+18.3 % CPU time, today +6.6 %") != std::string::npos);
    CHECK(
        document.body.find(
            " Today: +6.6 % [5.1, 8.2], of +18.3 % when filed (measured again in the night of "
            "2026-11-25, 32 + 32 runs).") != std::string::npos);
    CHECK(document.body.find("### Today, against the level before\n\n- S1: ") != std::string::npos);
    CHECK(render_regression(example_facts()).body.find("oday") == std::string::npos);
}

TEST_CASE("A change that was measured twice has one size", "[service][report]") {
    auto facts = example_facts();
    auto& series = facts.series[0];
    series.confirmed.change_ratio = 0.121;
    series.confirmed.low = 0.06;
    series.confirmed.high = 0.186;
    REQUIRE(series.verified);
    series.verified->change_ratio = 0.168;
    series.verified->low = 0.12;
    series.verified->high = 0.218;
    const auto size = best_comparison(series).change_ratio;
    CHECK(size > 0.121);
    CHECK(size < 0.168);
    const auto told = told_of(facts).change_ratio;
    REQUIRE(told);
    CHECK(*told >= size);
    const auto words = text::percent(size);
    CHECK(render_regression(facts).title.find(words) != std::string::npos);
    CHECK(render_regression(facts).body.find("**" + words + "**") != std::string::npos);
    series.shared = true;  // with another commit of the range
    CHECK(best_comparison(series).change_ratio == 0.168);
}
