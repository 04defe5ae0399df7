#include "schema/text/numbers.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil::text;

TEST_CASE("A change is told with its interval, where it has one", "[schema][text]") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(percent_within(0.066, 0.051, 0.082) == "+6.6 % [5.1, 8.2]");
    CHECK(percent_within(-0.066, -0.082, -0.051) == "-6.6 % [-8.2, -5.1]");
    CHECK(percent_within(0.1, 0.1, 0.1) == "+10.0 %");
    CHECK(percent_within(0.1, -infinity, infinity) == "+10.0 %");
    CHECK(percent_within(0.1, std::nan(""), 0.2) == "+10.0 %");
}

TEST_CASE("Numbers are rounded half up by the decimals a person sees", "[schema][text]") {
    CHECK(rounded(1.005, 2) == "1.01");  // the double lies below
    CHECK(rounded(2.675, 2) == "2.68");
    CHECK(rounded(-2.675, 2) == "-2.68");
    CHECK(rounded(0.125, 2) == "0.13");  // ties would go to even elsewhere
    CHECK(rounded(1.0449999, 2) == "1.04");
    CHECK(rounded(9.995, 2) == "10.00");
    CHECK(rounded(0.5, 0) == "1");
    CHECK(rounded(99.5, 0) == "100");
    CHECK(rounded(0.04, 1) == "0.0");
    CHECK(rounded(-0.04, 1) == "0.0");
    CHECK(rounded(7, 2) == "7.00");
    CHECK(rounded(0, 0) == "0");
    CHECK(rounded(1e-300, 3) == "0.000");
    CHECK(rounded(1e22, 1) == "10000000000000000000000.0");
    CHECK(rounded(std::numeric_limits<double>::max(), 0).size() == 309);
    CHECK(rounded(std::numeric_limits<double>::infinity(), 1) == "?");
    CHECK(rounded(std::numeric_limits<double>::quiet_NaN(), 1) == "?");
}

TEST_CASE("A change has a sign unless it is nothing", "[schema][text]") {
    CHECK(percent(0.183) == "+18.3 %");
    CHECK(percent(0.0725) == "+7.3 %");
    CHECK(percent(-0.0725) == "-7.3 %");
    CHECK(percent(0.0005) == "+0.1 %");
    CHECK(percent(0.0001) == "0.0 %");
    CHECK(percent(-0.0001) == "0.0 %");
    CHECK(percent(0) == "0.0 %");
    CHECK(percent(0.9995) == "+100.0 %");
    CHECK(percent(12) == "+1200.0 %");
    CHECK(percent(3e8) == "+3e+10 %");
    CHECK(percent(std::numeric_limits<double>::quiet_NaN()) == "? %");
}

TEST_CASE("A share is rounded by the decimals of its ratio", "[schema][text]") {
    CHECK(share(0.0045) == "0.5 %");
    CHECK(share(0.9932) == "99.3 %");
    CHECK(share(0.07, 0) == "7 %");
}

TEST_CASE("Levels are shown in units a person reads", "[schema][text]") {
    CHECK(quantity(12'345'000, "ns") == "12.35 ms");
    CHECK(quantity(999.96, "ns") == "1.000 µs");
    CHECK(quantity(0.5, "ns") == "0.500 ns");
    CHECK(quantity(1'234, "ns") == "1.234 \u00B5s");
    CHECK(quantity(2.5e9, "ns") == "2.500 s");
    CHECK(quantity(512, "bytes") == "512 B");
    CHECK(quantity(0, "bytes") == "0 B");
    CHECK(quantity(1.5 * 1024 * 1024 * 1024, "bytes") == "1.500 GiB");
    CHECK(quantity(155.0 * 1024 * 1024, "bytes") == "155.0 MiB");
    CHECK(quantity(42, "images/s") == "42.00 images/s");
    CHECK(quantity(42, "") == "42.00");
    CHECK(
        quantity(1, "@all") ==
        "1.000 \uFF20"
        "all");
    CHECK(quantity(std::numeric_limits<double>::infinity(), "ns") == "?");
}

TEST_CASE("Durations and times read as a person writes them", "[schema][text]") {
    CHECK(duration(12) == "12 s");
    CHECK(duration(245) == "4 min 05 s");
    CHECK(duration(11'530) == "3 h 12 min");
    CHECK(duration(3 * 86400 + 7200) == "3 d 2 h");
    CHECK(duration(-5) == "0 s");
    CHECK(short_duration(0.44) == "0.4 s");
    CHECK(short_duration(9.96) == "10 s");
    CHECK(short_duration(245.4) == "4 min 05 s");
    CHECK(short_duration(-1) == "0.0 s");
    CHECK(ago(1000, 1001) == "now");
    CHECK(ago(1000, 1130) == "2 min ago");
    CHECK(ago(2000, 1000) == "in 16 min");
    CHECK(utc(1'795'229'100) == "2026-11-21 02:45");
    CHECK(counted(1, "run") == "1 run");
    CHECK(counted(3, "run") == "3 runs");
    CHECK(counted(2, "series", "series") == "2 series");
}

TEST_CASE("A day is a real day", "[schema][text]") {
    CHECK(parse_day("2026-11-21") == 1'795'219'200);
    for (const auto* bad : {"2026-02-30", "2026-1-1", "today", "2026-11-21x", ""}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(parse_day(bad), vigil::Error);
    }
}
