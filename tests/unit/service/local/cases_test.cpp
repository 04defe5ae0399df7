#include "service/local/cases/cases.hpp"

#include <cmath>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/local/explain.hpp"
#include "service/local/report.hpp"
#include "tests/unit/service/local/scene.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;
using detect::Side;

namespace {

PrintedCase printed(const std::string& name, double value) {
    PrintedCase one;
    one.name = name;
    one.unit = "ns";
    one.value = value;
    return one;
}

/// Plays blocks until all cases are decided.
/// @param effects  of the cases "case 0", "case 1" ...: what B has of A
CaseTable played_table(const std::vector<double>& effects) {
    CaseTable table({});
    for (int block = 0; block < 12; ++block) {
        std::vector<CaseTable::SideRun> runs;
        for (const Side side : detect::block_order(block)) {
            PrintedCases all;
            for (std::size_t i = 0; i < effects.size(); ++i) {
                const double wobble = 1 + 0.002 * static_cast<double>((i + runs.size()) % 3);
                const double level = 1e6 * wobble * (side == Side::b ? effects[i] : 1);
                all.cases.push_back(printed("case " + std::to_string(i), level));
            }
            runs.emplace_back(side, std::move(all));
        }
        table.add_block(block, runs);
        if (table.open() == 0) break;
    }
    return table;
}

}  // namespace

TEST_CASE("Ten of the worse cases are shown, and all are counted", "[service][local]") {
    std::vector<double> effects(40, 1);
    for (std::size_t i = 0; i < 13; ++i) effects[3 * i] = 1.2 + 0.01 * static_cast<double>(i);
    effects[1] = 0.8;
    effects[4] = 0.7;
    const auto table = played_table(effects);
    CHECK(table.open() == 0);
    const auto compared = table.result(false);
    CHECK(compared.counts.worse == 13);
    CHECK(compared.counts.better == 2);
    CHECK(compared.counts.same == 25);
    CHECK(compared.cases.front().printed.name == "case 36");
    CHECK(cases_verdict(compared.counts) == "worse: 13 of 40 cases");
    CHECK(cases_verdict(compared.counts, true) == "better: 2 of 40 cases");
    const auto text = cases_text(compared);
    CHECK_THAT(
        text,
        Contains("case 36\n") && Contains("case 9\n") && !Contains("case 6\n") &&
            Contains("and 3 more; 2 better; 25 without a change") &&
            Contains("best      case 4 -30.0 %"));
    CHECK(cases_json(compared).size() == 40);
    CHECK(case_to_search(compared, false).printed.name == "case 36");
    CHECK(case_to_search(compared, true).printed.name == "case 4");
}

TEST_CASE("A case whose runs give no value now and then is not waited for", "[service][local]") {
    CaseTable table({});
    for (int block = 0; block < 3; ++block) {
        std::vector<CaseTable::SideRun> runs;
        for (const Side side : detect::block_order(block)) {
            PrintedCases all;
            all.cases = {printed("steady", 5), printed("flaky", 5), printed("unit", 5)};
            if (runs.size() == 2) all.cases[1].value.reset();
            if (runs.size() == 2) all.cases[1].problem = "no luck";
            if (side == Side::b) all.cases[2].unit = "apples";
            runs.emplace_back(side, std::move(all));
        }
        table.add_block(block, runs);
    }
    CHECK(table.open() == 0);
    const auto compared = table.result(false);
    CHECK(compared.counts.same == 1);
    CHECK(compared.counts.unsure == 1);
    CHECK(compared.counts.only_good == 1);
    CHECK(compared.cases.front().judgement.reason == "some runs gave no value: no luck");
    CHECK_THAT(compared.cases.back().judgement.reason, Contains("apples"));
    CHECK_THAT(cases_text(compared), Contains("only good unit"));
}

TEST_CASE("Without a case in common nothing is judged, and a stop is told", "[service][local]") {
    CaseTable table({});
    CHECK(table.result(true).cases.empty());
    table.add_block(
        0,
        {{Side::a, {{printed("x", 1)}, 0}},
         {Side::b, {{printed("y", 1)}, 0}},
         {Side::b, {{printed("y", 1)}, 0}},
         {Side::a, {{printed("x", 1)}, 0}}});
    CHECK_THROWS_WITH(
        table.result(false), Contains("no case in common") && Contains("1 only in the bad build"));
}

TEST_CASE("The case that was chosen stands in the log, and is told", "[service][local]") {
    CaseChosen chosen;
    chosen.name = "BM_<b>sum</b>\n2";
    chosen.counts = {.cases = 30, .worse = 2, .better = 1, .same = 27};
    Comparison c;
    c.before = 1e6;
    c.after = 2e6;
    c.change_ratio = 1;
    c.low = 0.9;
    c.high = 1.1;
    chosen.others = {{"BM_other", "ns", Comparing::worse, c}};
    chosen.runs = 24;
    chosen.seconds = 3;
    auto log = played(started(8), 5, 0.2);
    log.insert(log.begin() + 2, LogEntry{chosen});
    for (const auto& entry : log) {
        CHECK(write_entry(parse_entry(write_entry(entry), "it")) == write_entry(entry));
    }
    const auto again = replay(log);
    CHECK(again.difference.empty());
    CHECK(again.story.order().select == chosen.name);
    CHECK(again.story.runs() == replay_story(played(started(8), 5, 0.2)).runs() + 24);
    CHECK_THAT(
        explain(log, 60),
        Contains("searched BM_<b>sum</b> 2; all cases between the ends: worse: 2 of 30 cases") &&
            Contains("BM_other"));
    const auto html = html_report({{again.story, again.decision}});
    CHECK_THAT(html, Contains("BM_other") && Contains("27 without a change"));
    CHECK_THAT(html, !Contains("<b>sum"));
    auto named = started(8);
    named.order.select = "BM_sum";
    Story story;
    story.add(named);
    CHECK_THROWS_WITH(story.add(chosen), Contains("names a case"));
}
