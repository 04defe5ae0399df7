#include "service/source/versions.hpp"

#include <array>
#include <compare>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

using namespace vigil::service;

TEST_CASE("Versions are ordered by age, not by letters", "[service][source]") {
    constexpr std::array oldest_first{
        std::string_view("2.9.1"),
        std::string_view("2.10.0.dev20251112"),
        std::string_view("2.10.0.dev20251113"),
        std::string_view("2.10.0a1"),
        std::string_view("2.10.0-beta.2"),
        std::string_view("2.10.0rc1"),
        std::string_view("2.10.0rc2"),
        std::string_view("2.10.0"),
        std::string_view("2.10.1"),
        std::string_view("7.0.0-dev.20251112.1"),
        std::string_view("7.0.0-dev.20251112.2"),
        std::string_view("7.0.0-dev.20251112.10"),
        std::string_view("7.0.0-dev.20260101.1"),
        std::string_view("7.0.0")};
    for (std::size_t i = 0; i < oldest_first.size(); ++i) {
        for (std::size_t j = 0; j < oldest_first.size(); ++j) {
            CAPTURE(oldest_first[i], oldest_first[j]);
            CHECK(std::is_lt(compare_versions(oldest_first[i], oldest_first[j])) == (i < j));
            CHECK(std::is_eq(compare_versions(oldest_first[i], oldest_first[j])) == (i == j));
        }
    }
}

TEST_CASE("What follows a plus sign only breaks ties", "[service][source]") {
    CHECK(std::is_lt(compare_versions("2.1+zzz", "2.2+aaa")));
    CHECK(std::is_lt(compare_versions("2.1+cpu", "2.1+cu118")));
    CHECK(std::is_lt(compare_versions("2.1", "2.1+cpu")));
}

TEST_CASE("Leading zeros and numbers of any length compare as numbers", "[service][source]") {
    CHECK(std::is_lt(compare_versions("1.007", "1.8")));
    CHECK(std::is_lt(compare_versions("1.99999999999999999999", "1.100000000000000000000")));
}

TEST_CASE("The day is read from the version", "[service][source]") {
    CHECK(day_in_version("7.0.0-dev.20251112.1") == "2025-11-12");
    CHECK(day_in_version("2.10.0.dev20240229+cpu") == "2024-02-29");
    CHECK(day_in_version("nightly-2025-11-12") == "2025-11-12");
    CHECK(day_in_version("1.0-20251312") == std::nullopt);  // there is no month 13
    CHECK(day_in_version("1.0-20230229") == std::nullopt);
    CHECK(day_in_version("1.0-120251112") == std::nullopt);  // nine digits are no day
    CHECK(day_in_version("2025-11-123") == std::nullopt);
    CHECK(day_in_version("1.0") == std::nullopt);
}

TEST_CASE("Only days of the calendar are days", "[service][source]") {
    CHECK(is_day("2024-02-29"));
    CHECK_FALSE(is_day("2023-02-29"));
    CHECK_FALSE(is_day("2023-2-9"));
    CHECK_FALSE(is_day("2023-02-00"));
    CHECK_FALSE(is_day("2023/02/01"));
    CHECK_FALSE(is_day(""));
}

TEST_CASE("A time falls on its day in UTC", "[service][source]") {
    CHECK(day_of(0) == "1970-01-01");
    CHECK(day_of(86'399) == "1970-01-01");
    CHECK(day_of(1'763'164'800) == "2025-11-15");
}
