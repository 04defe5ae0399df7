#include "schema/model/series_rule.hpp"

#include <catch2/catch.hpp>

namespace vigil {
namespace {

TEST_CASE("A pattern fits a whole text", "[schema][model]") {
    CHECK(fits_pattern("*", ""));
    CHECK(fits_pattern("", ""));
    CHECK(fits_pattern("gemm/*", "gemm/64"));
    CHECK(fits_pattern("*rate", "FOM: rate"));
    CHECK(fits_pattern("a*b*c", "a-b-b-c"));
    CHECK(fits_pattern("a?c", "abc"));
    CHECK(fits_pattern("a**", "a"));
    CHECK_FALSE(fits_pattern("gemm", "gemm/64"));
    CHECK_FALSE(fits_pattern("?", ""));
    CHECK_FALSE(fits_pattern("", "a"));
    CHECK_FALSE(fits_pattern("a*b", "a-b-c"));
    // No blow-up: each star is tried once.
    std::string stars;
    for (int i = 0; i < 100; ++i) stars += "*a";
    CHECK_FALSE(fits_pattern(stars + "b", std::string(500, 'a')));
}

TEST_CASE("The first rule that fits decides alone", "[schema][model]") {
    const std::vector<SeriesRule> rules{
        {.benchmark = "gemm*", .metric = "reported_value", .judge = false},
        {.benchmark = "gemm*", .direction = Direction::higher_is_better},
        {.suite = "nightly", .machine_class = "ci-?"}};
    const auto* first = find_rule(rules, {"", "gemm/8", "FLOPS", "reported_value", "ci"});
    REQUIRE(first != nullptr);
    CHECK_FALSE(first->direction.has_value());
    CHECK(find_rule(rules, {"", "gemm/8", "FLOPS", "wall_time_ns", "ci"}) == &rules[1]);
    CHECK(find_rule(rules, {"nightly", "sort", "", "wall_time_ns", "ci-1"}) == &rules[2]);
    CHECK(find_rule(rules, {"", "sort", "", "wall_time_ns", "ci-1"}) == nullptr);
}

TEST_CASE("What nothing tells is not judged, and a rule goes before what is told", "[schema]") {
    constexpr auto lower = Direction::lower_is_better;
    constexpr auto higher = Direction::higher_is_better;
    CHECK(settle(lower, nullptr) == Settled{lower, Judging::as_metric});
    CHECK(settle({}, nullptr) == Settled{std::nullopt, Judging::no_direction});
    const SeriesRule turned{.direction = higher};
    CHECK(settle(lower, &turned) == Settled{higher, Judging::as_metric});
    CHECK(settle({}, &turned) == Settled{higher, Judging::as_metric});
    const SeriesRule wanted{.judge = true};
    CHECK(settle(lower, &wanted) == Settled{lower, Judging::always});
    CHECK(settle({}, &wanted) == Settled{std::nullopt, Judging::no_direction});
    const SeriesRule unwanted{.judge = false};
    CHECK(settle({}, &unwanted) == Settled{std::nullopt, Judging::never});
}

TEST_CASE("The line that decides fits the series it names", "[schema][model]") {
    CHECK(
        rule_line("FOM \"a\"", "back\\slash") ==
        "{\"benchmark\": \"FOM ?a?\", \"variant\": \"back?slash\", \"direction\": "
        "\"higher_is_better\"}");
    CHECK(fits_pattern("FOM ?a?", "FOM \"a\""));
}

}  // namespace
}  // namespace vigil
