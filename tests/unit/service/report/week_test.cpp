// The summary of a week, and when it is due.

#include <catch2/catch.hpp>

#include "schema/text/times.hpp"
#include "service/report/render/render_week.hpp"
#include "service/report/weeks.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

TEST_CASE("A week's summary is due once at its time", "[service][report]") {
    const WeeklyConfig monday{.cron = "0 8 * * mon", .time_zone = "UTC"};
    const auto time = text::parse_time("2026-11-23T08:00").value();  // a Monday
    CHECK_FALSE(is_week_due(monday, std::nullopt, time - 1));
    CHECK(is_week_due(monday, std::nullopt, time));
    CHECK_FALSE(is_week_due(monday, time, time + 60));
    CHECK_FALSE(is_week_due(monday, std::nullopt, time + 2 * 86'400));  // asked for on Wednesday
    CHECK(is_week_due(monday, time, time + 7 * 86'400));
    CHECK(is_week_due(monday, time, time + 9 * 86'400));  // the daemon was down
}

TEST_CASE("A week is told by what was found, what is back and what is open", "[service]") {
    WeekFacts facts;
    facts.project = "tensor @all lab";
    facts.marker = "<!-- m -->";
    facts.until_s = text::parse_time("2026-11-23T08:00").value();
    facts.since_s = facts.until_s - 7 * 86'400;
    facts.answer_due_s = 259'200;
    const auto add = [&](int id,
                         RegressionState state,
                         std::int64_t found_s,
                         std::optional<RegressionEnd> ended_as = std::nullopt) {
        WeeksRegression one;
        one.id = RegressionId{id};
        one.state = state;
        one.ended_as = ended_as;
        one.title = "[perf] `x` @here is slower";
        one.found_s = found_s;
        one.changed_s = facts.until_s - 60;
        facts.regressions.push_back(one);
    };
    add(1, RegressionState::reported, facts.since_s - 86'400);
    add(2, RegressionState::acknowledged, facts.since_s + 60);
    add(3, RegressionState::closed, facts.since_s - 86'400, RegressionEnd::recovered);
    add(4, RegressionState::closed, facts.since_s + 60, RegressionEnd::not_reproduced);
    const auto document = render_week(facts);
    CHECK_THAT(document.title, Contains("the week to 2026-11-23: 1 found, 1 recovered, 2 open"));
    CHECK_THAT(document.title, Contains("2 open, 0 better"));
    CHECK_THAT(document.body, Contains("1 of the open ones should have an answer by now"));
    CHECK_THAT(document.body, Contains("### Open") && Contains("### Recovered this week"));
    CHECK_THAT(document.body, Contains(", back after 7 d 23 h: "));
    CHECK_THAT(document.body, !Contains("@here") && !Contains("@all"));
    CHECK(document.body.ends_with("<!-- m -->\n"));
}

TEST_CASE("A week says what is to be decided", "[service][report]") {
    WeekFacts facts;
    facts.until_s = text::parse_time("2026-11-23T08:00").value();
    facts.answer_due_s = 259'200;
    CHECK(decisions_of(facts).empty());
    CHECK_THAT(render_week(facts).body, !Contains("To decide"));
    WeeksRegression late;
    late.id = RegressionId{7};
    late.state = RegressionState::reported;
    late.found_s = facts.until_s - 4 * 86'400;
    auto acknowledged = late;
    acknowledged.state = RegressionState::acknowledged;
    auto young = late;
    young.found_s = facts.until_s - 86'400;
    auto closed = late;
    closed.state = RegressionState::closed;
    facts.regressions = {late, acknowledged, young, closed};
    facts.mutes = {{"series/3", "Ada @here", facts.until_s + 86'400}};
    facts.troubles = {
        {.kind = "budget.spent", .subject = "project/x", .project = {}, .message = "it waits"}};
    REQUIRE(decisions_of(facts).size() == 3);
    const auto body = render_week(facts).body;
    CHECK_THAT(
        body,
        Contains("### To decide\n\n- regression/7: it has had no answer for 4 d 0 h: fix it, "));
    CHECK_THAT(body, Contains("- series/3: the mute of Ada ") && Contains("2026-11-24 08:00 UTC"));
    CHECK_THAT(body, Contains("- project/x: it waits") && !Contains("@here"));
}

TEST_CASE("A week names what became better, by whose commits, and the time", "[service]") {
    WeekFacts facts;
    facts.project = "lab";
    const auto add = [&](Verdict verdict, std::int64_t count, std::vector<std::string> authors) {
        ImprovementFact one;
        one.benchmark = "mlp";
        one.variant = "train";
        one.machine_class = "xeon";
        one.metric = Metric::cpu_time_ns;
        one.verdict = verdict;
        one.confirmed = {.change_ratio = -0.123, .low = -0.14, .high = -0.101};
        one.night_name = "2026-11-22";
        one.before_name = "2026-11-21";
        one.commits.count = count;
        one.commits.authors = std::move(authors);
        if (count == 1) one.commits.subject = "Skip the `second` pass @all";
        facts.improvements.push_back(std::move(one));
    };
    add(Verdict::improvement, 1, {"Ada @here"});
    add(Verdict::improvement, 76, {"Ada", "Bob", "Cleo", "Dan", "Eve"});
    add(Verdict::fixed, 0, {});
    facts.machine_s = {{Purpose::nightly, 36'000}, {Purpose::probe, 5'400}};
    WeeksRegression found;
    found.state = RegressionState::reported;
    found.author = "Bob";
    WeeksRegression back;
    back.state = RegressionState::closed;
    back.ended_as = RegressionEnd::recovered;
    back.fixed.emplace().author = "Cleo";
    facts.regressions = {found, back};
    const auto body = render_week(facts).body;
    CHECK_THAT(render_week(facts).title, Contains("3 better"));
    CHECK_THAT(body, Contains("### Became better this week"));
    CHECK_THAT(body, Contains("12.3 % better (10.1 to 14.0)") && Contains("Skip the"));
    CHECK_THAT(body, Contains("76 commits by Ada, Bob, Cleo and 2 more"));
    CHECK_THAT(body, Contains("runs again in night `2026-11-22`\n"));
    CHECK_THAT(body, Contains(", by Bob: ") && Contains(", fixed by Cleo, back after "));
    CHECK_THAT(body, Contains("machines: 11 h 30 min (10 h 00 min for nights, 1 h 30 min"));
    CHECK_THAT(body, !Contains("@here") && !Contains("@all"));
    CHECK(author_words({}).empty());
    CHECK(author_words({"A", "B"}) == "A and B");
    CHECK(machine_time_words({{Purpose::nightly, 0}}).empty());
}
