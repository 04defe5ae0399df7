// When a message goes, and which targets hear of what.

#include "service/report/deliver/turns.hpp"

#include <catch2/catch.hpp>

#include "schema/text/times.hpp"
#include "service/report/targets.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

std::int64_t time_of(const char* time) {
    return text::parse_time(time).value();
}

ToldFact reported(double ratio) {
    ToldFact told;
    told.state = RegressionState::reported;
    told.change_ratio = ratio;
    return told;
}

}  // namespace

TEST_CASE("A message waits for others, and for the end of quiet hours", "[service][report]") {
    ReportTarget target;
    target.kind = TargetKind::slack;
    const auto stored_s = time_of("2026-11-20T18:00");
    const auto told = reported(0.1);
    CHECK_FALSE(held_until(target, told, stored_s, stored_s));
    target.collect_s = 3600;
    CHECK(held_until(target, told, stored_s, stored_s) == stored_s + 3600);
    CHECK(held_until(target, told, stored_s, stored_s + 1800) == stored_s + 3600);
    CHECK_FALSE(held_until(target, told, stored_s, stored_s + 3600));
    target.quiet_hours = QuietHours{.from = "19:00", .to = "07:00", .time_zone = "UTC"};
    CHECK(held_until(target, told, stored_s, stored_s) == time_of("2026-11-21T07:00"));
    CHECK_FALSE(held_until(target, told, stored_s, time_of("2026-11-21T07:00")));
    // The clock was set back by a day: nobody waits a day longer.
    CHECK(held_until(target, told, stored_s + 86'400, stored_s - 7200) <= stored_s + 3600);
}

TEST_CASE("What is urgent waits for nothing", "[service][report]") {
    ReportTarget target;
    target.collect_s = 3600;
    CHECK_FALSE(held_until(target, reported(0.5), 0, 0));
    CHECK(held_until(target, reported(0.49), 0, 0));
    ToldFact broken;
    broken.broken = true;
    CHECK_FALSE(held_until(target, broken, 0, 0));
    target.urgent_change_ratio = 0;
    CHECK(held_until(target, broken, 0, 0));
    CHECK(held_until(target, reported(9), 0, 0));
    CHECK(held_until(target, ToldFact{}, 0, 0));  // a night, a trouble
}

TEST_CASE("Filters keep back what a target does not want", "[service][report]") {
    ReportTarget target;
    target.kind = TargetKind::webhook;
    CHECK(wants(target, reported(0.08), News::nothing));
    target.min_change_ratio = 0.1;
    CHECK_FALSE(wants(target, reported(0.08), News::found));
    CHECK(wants(target, reported(0.1), News::found));
    auto broken = reported(0.01);
    broken.broken = true;
    CHECK(wants(target, broken, News::found));
    target.states = {"reported"};
    CHECK(wants(target, reported(0.2), News::found));
    auto over = reported(0.2);
    over.state = RegressionState::closed;
    over.ended_as = RegressionEnd::recovered;
    CHECK_FALSE(wants(target, over, News::recovered));
    for (const char* word : {"recovered", "closed"}) {
        target.states = {"reported", word};
        CHECK(wants(target, over, News::recovered));
    }
    for (const char* word : {"confirmed", "open"}) {
        target.states = {word};
        CHECK(wants(target, reported(0.2), News::found));
        CHECK_FALSE(wants(target, over, News::recovered));
    }
    target.regressions = false;
    CHECK_FALSE(wants(target, reported(0.2), News::found));
}

TEST_CASE("Of what was not reproduced hears who asks for it by its word", "[service][report]") {
    auto lost = reported(0.2);
    lost.state = RegressionState::closed;
    lost.ended_as = RegressionEnd::not_reproduced;
    ReportTarget target;
    target.kind = TargetKind::webhook;
    CHECK_FALSE(wants(target, lost, News::found));
    target.states = {"reported", "closed"};
    CHECK_FALSE(wants(target, lost, News::found));
    target.states = {"not_reproduced"};
    CHECK(wants(target, lost, News::found));
}

TEST_CASE("Chat and mail hear of news only", "[service][report]") {
    for (const auto kind : {TargetKind::slack, TargetKind::mail}) {
        ReportTarget target;
        target.kind = kind;
        CHECK(wants(target, reported(0.2), News::found));
        CHECK(wants(target, reported(0.2), News::accepted));
        CHECK_FALSE(wants(target, reported(0.2), News::nothing));
    }
}
