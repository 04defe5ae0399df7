#include "service/config/cron.hpp"

#include <chrono>
#include <random>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>
#include <date/date.h>
#include <date/tz.h>

#include "schema/model/error.hpp"

using namespace vigil;
using Catch::Contains;
using service::Cron;

namespace {

std::int64_t at(const std::string& utc) {
    std::tm parts{};
    const char* end = ::strptime(utc.c_str(), "%Y-%m-%d %H:%M:%S", &parts);
    REQUIRE(end == utc.c_str() + utc.size());
    return ::timegm(&parts);
}

std::string words(std::int64_t utc_s) {
    return date::format("%Y-%m-%d %H:%M:%S", date::sys_seconds(std::chrono::seconds(utc_s)));
}

std::string next(const std::string& cron, const std::string& zone, const std::string& after) {
    return words(Cron::parse(cron, zone).next_after(at(after)));
}

std::string cron_refusal(const std::string& cron, const std::string& zone = "UTC") {
    try {
        Cron::parse(cron, zone);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        return error.what();
    }
    FAIL("accepted: " << cron);
    return "";
}

/// A field as the plain set of what it lists; independent of the parser under test.
struct Plain {
    std::set<int> minutes, hours, days, months, weekdays;
    bool any_day, any_weekday;
};

bool comes_at(const Plain& plain, date::local_seconds local) {
    const auto day = date::floor<date::days>(local);
    const date::year_month_day calendar{day};
    const auto clock = date::make_time(local - day);
    const int weekday = static_cast<int>(date::weekday(day).c_encoding());
    const bool by_day = plain.days.contains(static_cast<int>(unsigned(calendar.day())));
    const bool by_weekday = plain.weekdays.contains(weekday);
    const bool day_matches = plain.any_day       ? by_weekday
                             : plain.any_weekday ? by_day
                                                 : by_day || by_weekday;
    return day_matches && plain.months.contains(static_cast<int>(unsigned(calendar.month()))) &&
           plain.hours.contains(static_cast<int>(clock.hours().count())) &&
           plain.minutes.contains(static_cast<int>(clock.minutes().count()));
}

/// Does the schedule come in this very minute? Walks the clock as a person would watch it: what it
/// shows for the first time counts, and what it jumped over counts at the jump.
bool comes_at(const Plain& plain, const date::time_zone& zone, date::sys_seconds minute) {
    const auto shown = zone.to_local(minute);
    const auto before = zone.to_local(minute - std::chrono::minutes(1));
    for (auto skipped = before + std::chrono::minutes(1); skipped < shown;
         skipped += std::chrono::minutes(1)) {
        if (comes_at(plain, skipped)) return true;
    }
    if (zone.get_info(shown).result == date::local_info::ambiguous) {
        if (zone.to_sys(shown, date::choose::earliest) != minute) return false;
    }
    return comes_at(plain, shown);
}

std::set<int> some_of(std::mt19937& random, int low, int high) {
    std::set<int> values;
    const int count = std::uniform_int_distribution<int>(1, 3)(random);
    for (int i = 0; i < count; ++i) {
        values.insert(std::uniform_int_distribution<int>(low, high)(random));
    }
    return values;
}

std::set<int> all_of(int low, int high) {
    std::set<int> values;
    for (int value = low; value <= high; ++value) values.insert(value);
    return values;
}

std::string listed(const std::set<int>& values) {
    std::string list;
    for (const int value : values) list += (list.empty() ? "" : ",") + std::to_string(value);
    return list;
}

}  // namespace

TEST_CASE("A daily schedule follows its zone through summer and winter", "[service][config]") {
    CHECK(next("30 2 * * *", "UTC", "2026-11-21 02:29:59") == "2026-11-21 02:30:00");
    CHECK(next("30 2 * * *", "UTC", "2026-11-21 02:30:00") == "2026-11-22 02:30:00");
    CHECK(next("0 5 * * *", "Europe/Berlin", "2026-07-01 00:00:00") == "2026-07-01 03:00:00");
    CHECK(next("0 5 * * *", "Europe/Berlin", "2026-12-01 00:00:00") == "2026-12-01 04:00:00");
    CHECK(next("0 5 * * *", "Asia/Kolkata", "2026-12-01 00:00:00") == "2026-12-01 23:30:00");
    CHECK(next("0 5 * * *", "US/Pacific", "2026-12-01 00:00:00") == "2026-12-01 13:00:00");
}

TEST_CASE("Lists, ranges, steps and names are read", "[service][config]") {
    const std::string start = "2026-11-21 12:00:00";  // a Saturday
    CHECK(next("*/20 * * * *", "UTC", start) == "2026-11-21 12:20:00");
    CHECK(next("5-50/15 * * * *", "UTC", "2026-11-21 12:20:00") == "2026-11-21 12:35:00");
    CHECK(next("1,3,59 * * * *", "UTC", "2026-11-21 12:03:00") == "2026-11-21 12:59:00");
    CHECK(next("0 9 * * mon-fri", "UTC", start) == "2026-11-23 09:00:00");
    CHECK(next("0 9 * * MON,7", "UTC", start) == "2026-11-22 09:00:00");
    CHECK(next("0 9 * * 5-7", "UTC", "2026-11-22 09:00:00") == "2026-11-27 09:00:00");
    CHECK(next("0 0 1 jan,Jul *", "UTC", start) == "2027-01-01 00:00:00");
    CHECK(next("\t0  0   31 * * ", "UTC", start) == "2026-12-31 00:00:00");
}

TEST_CASE("When both day fields are restricted, either may match", "[service][config]") {
    CHECK(next("0 0 13 * fri", "UTC", "2026-11-13 00:00:00") == "2026-11-20 00:00:00");
    CHECK(next("0 0 13 * fri", "UTC", "2026-12-11 00:00:00") == "2026-12-13 00:00:00");
    CHECK(next("0 0 * * fri", "UTC", "2026-12-11 00:00:00") == "2026-12-18 00:00:00");
    CHECK(next("0 0 30 2 mon", "UTC", "2026-01-01 00:00:00") == "2026-02-02 00:00:00");
}

TEST_CASE("29 February waits for its year, across a century too", "[service][config]") {
    CHECK(next("0 0 29 2 *", "UTC", "2026-01-01 00:00:00") == "2028-02-29 00:00:00");
    CHECK(next("0 0 29 2 *", "UTC", "2096-02-29 00:00:00") == "2104-02-29 00:00:00");
}

TEST_CASE("A time that the clock skips runs once, right after the gap", "[service][config]") {
    // Berlin: 02:00 becomes 03:00 on 2026-03-29 at 01:00 UTC.
    CHECK(next("30 2 * * *", "Europe/Berlin", "2026-03-28 12:00:00") == "2026-03-29 01:00:00");
    CHECK(next("30 2 * * *", "Europe/Berlin", "2026-03-29 01:00:00") == "2026-03-30 00:30:00");
    CHECK(next("15,45 2 * * *", "Europe/Berlin", "2026-03-28 12:00:00") == "2026-03-29 01:00:00");
    CHECK(next("15,45 2 * * *", "Europe/Berlin", "2026-03-29 01:00:00") == "2026-03-30 00:15:00");
    // Samoa left out a whole day: 2011-12-30 never was.
    CHECK(next("0 12 30 12 *", "Pacific/Apia", "2011-12-01 00:00:00") == "2011-12-30 10:00:00");
}

TEST_CASE("A time that comes twice runs the first time only", "[service][config]") {
    // Berlin: 03:00 becomes 02:00 on 2026-10-25 at 01:00 UTC.
    CHECK(next("30 2 * * *", "Europe/Berlin", "2026-10-24 12:00:00") == "2026-10-25 00:30:00");
    CHECK(next("30 2 * * *", "Europe/Berlin", "2026-10-25 00:30:00") == "2026-10-26 01:30:00");
    CHECK(next("0 * * * *", "Europe/Berlin", "2026-10-25 00:00:00") == "2026-10-25 02:00:00");
}

TEST_CASE("A bad field is named, with what is allowed", "[service][config]") {
    CHECK_THAT(cron_refusal("60 * * * *"), Contains("minute field: \"60\"") && Contains("0 to 59"));
    CHECK_THAT(cron_refusal("* 24 * * *"), Contains("hour field") && Contains("0 to 23"));
    CHECK_THAT(
        cron_refusal("* * 0 * *"), Contains("day of the month field") && Contains("1 to 31"));
    CHECK_THAT(cron_refusal("* * * 13 *"), Contains("month field") && Contains("jan to dec"));
    CHECK_THAT(
        cron_refusal("* * * * 8"), Contains("day of the week field") && Contains("sun to sat"));
    CHECK_THAT(cron_refusal("* * * janu *"), Contains("month field: \"janu\""));
    CHECK_THAT(cron_refusal("*/0 * * * *"), Contains("step that is not 1 to 59"));
    CHECK_THAT(cron_refusal("5/10 * * * *"), Contains("a-b/step"));
    CHECK_THAT(cron_refusal("30-10 * * * *"), Contains("backwards"));
    for (const auto* cron :
         {"1, * * * *",
          ",1 * * * *",
          "1--2 * * * *",
          "-1 * * * *",
          "1- * * * *",
          "+1 * * * *",
          "*/ * * * *",
          "** * * * *",
          "1.5 * * * *",
          "99999999999 * * * *",
          "*-5 * * * *"}) {
        CHECK_THAT(cron_refusal(cron), Contains("minute field"));
    }
}

TEST_CASE("A schedule without five fields is refused", "[service][config]") {
    for (const auto* cron : {"", "   ", "* * * *", "* * * * * *", "@daily"}) {
        CHECK_THAT(cron_refusal(cron), Contains("it must have 5"));
    }
    CHECK_THAT(cron_refusal(std::string(500, '*')), Contains("it must have 5"));
}

TEST_CASE("A schedule that never comes is refused", "[service][config]") {
    CHECK_THAT(cron_refusal("0 0 30 2 *"), Contains("never comes"));
    CHECK_THAT(cron_refusal("0 0 31 4,6,9,11 *"), Contains("never comes"));
    CHECK_NOTHROW(Cron::parse("0 0 29 2 *", "UTC"));
}

TEST_CASE("An unknown zone is refused with the nearest one", "[service][config]") {
    CHECK_THAT(
        cron_refusal("* * * * *", "Europe/Berln"), Contains("did you mean \"Europe/Berlin\""));
    CHECK_THAT(cron_refusal("* * * * *", "../../etc/passwd"), Contains("not in the system's tz"));
    CHECK_THAT(cron_refusal("* * * * *", ""), Contains("not in the system's tz"));
}

TEST_CASE("A time outside of the era is refused", "[service][config]") {
    const auto cron = Cron::parse("* * * * *", "UTC");
    CHECK_THROWS_AS(cron.next_after(-1), Error);
    CHECK_THROWS_AS(cron.next_after(250'000'000'001), Error);
    CHECK(cron.next_after(0) == 60);
    CHECK(cron.next_after(250'000'000'000) > 250'000'000'000);
}

TEST_CASE("Random schedules come exactly when a watched clock says so", "[service][config]") {
    const auto seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const std::vector<std::string> zones{
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "UTC"};
    const auto chance = [&] { return std::uniform_int_distribution<int>(0, 1)(random) == 0; };
    for (int round = 0; round < 30; ++round) {
        Plain plain;
        plain.minutes = some_of(random, 0, 59);
        plain.hours = chance() ? some_of(random, 0, 3) : all_of(0, 23);
        plain.any_day = chance();
        plain.any_weekday = chance();
        plain.days = plain.any_day ? all_of(1, 31) : some_of(random, 1, 28);
        plain.months = chance() ? all_of(1, 12) : std::set<int>{3, 4, 9, 10, 11};
        plain.weekdays = plain.any_weekday ? all_of(0, 6) : some_of(random, 0, 6);
        const auto& zone_name = zones[static_cast<std::size_t>(round) % zones.size()];
        const auto* zone = date::locate_zone(zone_name);
        const std::string cron = listed(plain.minutes) + " " + listed(plain.hours) + " " +
                                 (plain.any_day ? "*" : listed(plain.days)) + " " +
                                 listed(plain.months) + " " +
                                 (plain.any_weekday ? "*" : listed(plain.weekdays));
        CAPTURE(cron, zone_name);
        // Start shortly before one of the zone's clock changes, or anywhere.
        date::sys_seconds from{std::chrono::seconds(
            std::uniform_int_distribution<std::int64_t>(1'600'000'000, 1'800'000'000)(random))};
        if (const auto change = zone->get_info(from).end; chance() && zone_name != "UTC") {
            from = change - std::chrono::hours(30);
        }
        const auto parsed = Cron::parse(cron, zone_name);
        auto expected = date::floor<std::chrono::minutes>(from);
        const auto stop = expected + date::days(5);
        std::int64_t now_s = from.time_since_epoch().count();
        for (expected += std::chrono::minutes(1); expected < stop;
             expected += std::chrono::minutes(1)) {
            if (!comes_at(plain, *zone, expected)) continue;
            const auto got = parsed.next_after(now_s);
            const auto wanted = date::sys_seconds(expected).time_since_epoch().count();
            if (got != wanted)
                FAIL("after " << words(now_s) << ": " << words(got) << ", not " << words(wanted));
            now_s = got;
        }
        CHECK(parsed.next_after(now_s) >= date::sys_seconds(stop).time_since_epoch().count());
    }
}
