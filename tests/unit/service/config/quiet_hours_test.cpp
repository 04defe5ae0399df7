#include "service/config/quiet_hours.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/text/times.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

std::int64_t at(const char* time) {
    return text::parse_time(time).value();
}

std::int64_t end_at(const QuietHours& quiet, const char* time) {
    return quiet_until(quiet, at(time)).value_or(0);
}

}  // namespace

TEST_CASE("Quiet hours hold over midnight, from their begin to before their end", "[service]") {
    const QuietHours quiet{.from = "22:00", .to = "07:00", .time_zone = "UTC"};
    CHECK(end_at(quiet, "2026-11-20T21:59:59") == 0);
    CHECK(end_at(quiet, "2026-11-20T22:00:00") == at("2026-11-21T07:00"));
    CHECK(end_at(quiet, "2026-11-21T06:59:59") == at("2026-11-21T07:00"));
    CHECK(end_at(quiet, "2026-11-21T07:00:00") == 0);
}

TEST_CASE("Quiet hours may lie within a day, and in a zone", "[service][config]") {
    const QuietHours noon{.from = "12:00", .to = "13:30", .time_zone = "Europe/Berlin"};
    CHECK(end_at(noon, "2026-11-20T10:59") == 0);
    CHECK(end_at(noon, "2026-11-20T11:00") == at("2026-11-20T12:30"));
    CHECK(end_at(noon, "2026-07-20T10:00") == at("2026-07-20T11:30"));  // summer time
    // At 02:00 the clocks go to 03:00: the night is an hour shorter.
    const QuietHours night{.from = "23:00", .to = "02:30", .time_zone = "Europe/Berlin"};
    CHECK(end_at(night, "2026-03-28T23:00") == at("2026-03-29T01:00"));
}

TEST_CASE("Quiet hours that are nonsense are refused", "[service][config]") {
    CHECK_THROWS_AS(quiet_until({.from = "24:00", .to = "1:00", .time_zone = "UTC"}, 0), Error);
    CHECK_THROWS_AS(
        quiet_until({.from = "20:00", .to = "07:00", .time_zone = "No/Where"}, 0), Error);
    CHECK(clock_time_problem("07:30").empty());
    for (const char* wrong : {"7:30", "07:60", "24:00", "ab:cd", "", "07.30", "07:3 "}) {
        CAPTURE(wrong);
        CHECK_FALSE(clock_time_problem(wrong).empty());
    }
}
