#include "service/schedule/day_budget.hpp"

#include <catch2/catch.hpp>

namespace vigil::service {
namespace {

constexpr std::int64_t hour_s = 3600;

TEST_CASE(
    "Nights stop at the budget, what was flagged a quarter beyond it", "[service][schedule]") {
    const auto begins = [](std::int64_t used_s, WorkLevel level) {
        return may_begin({.limit_s = 40 * hour_s, .used_s = used_s}, level);
    };
    CHECK(begins(40 * hour_s - 1, WorkLevel::nightly));
    CHECK(begins(40 * hour_s - 1, WorkLevel::later));
    CHECK_FALSE(begins(40 * hour_s, WorkLevel::nightly));
    CHECK_FALSE(begins(40 * hour_s, WorkLevel::later));
    CHECK(begins(50 * hour_s - 1, WorkLevel::urgent));
    CHECK_FALSE(begins(50 * hour_s, WorkLevel::urgent));
}

TEST_CASE("What waits for the next day is told by project and priority", "[service][schedule]") {
    const ProjectId mine{1};
    const ProjectId other{2};
    const auto nightly = static_cast<int>(Priority::nightly);
    const auto probe = static_cast<int>(Priority::probe);
    SpentBudgets spent{{mine, {.limit_s = 4 * hour_s, .used_s = 4 * hour_s}}};
    CHECK(waits_for_tomorrow(spent, mine, nightly));
    CHECK_FALSE(waits_for_tomorrow(spent, mine, probe));
    CHECK_FALSE(waits_for_tomorrow(spent, other, nightly));
    CHECK(highest_held_back(spent.at(mine)) == nightly);
    spent.at(mine).used_s = 5 * hour_s;
    CHECK(waits_for_tomorrow(spent, mine, probe));
    CHECK(highest_held_back(spent.at(mine)) > probe);
}

TEST_CASE("The reason has the hours, the key and the end of the UTC day", "[service][schedule]") {
    constexpr std::int64_t now_s = 20'000 * 24 * hour_s + 15 * hour_s;
    CHECK(
        spent_words({.limit_s = 4 * hour_s, .used_s = 4 * hour_s + 720}, now_s) ==
        "its machine hours of the day are spent (4.2 of 4 h, max_machine_hours_a_day): it waits "
        "until 2024-10-05 00:00 UTC");
}

}  // namespace
}  // namespace vigil::service
