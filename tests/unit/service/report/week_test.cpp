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
    CHECK_THAT(document.body, Contains("1 of the open ones should have an answer by now"));
    CHECK_THAT(document.body, Contains("### Open") && Contains("### Recovered this week"));
    CHECK_THAT(document.body, !Contains("@here") && !Contains("@all"));
    CHECK(document.body.ends_with("<!-- m -->\n"));
}
