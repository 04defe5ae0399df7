#include "service/report/facts/machine_hours.hpp"

#include <catch2/catch.hpp>

namespace vigil::service {
namespace {

TEST_CASE("Machine time by class has builds in no other part", "[service][report]") {
    const auto classes = hours_by_class(
        {{"xeon", MachineWork::nightly, 3600, 600},
         {"a100", MachineWork::canary, 30, 0},
         {"xeon", MachineWork::probe, 1200, 300},
         {"xeon", MachineWork::verify, 100, 0}});
    REQUIRE(classes.size() == 2);
    CHECK(classes[0].machine_class == "a100");
    CHECK(class_hours_words(classes[0]) == "canaries 30 s");
    CHECK(classes[1].total_s() == 4900);
    CHECK(classes[1].builds_s == 900);
    CHECK(classes[1].measuring_s == 3000);
    CHECK(
        class_hours_words(classes[1]) ==
        "builds 15 min 00 s, measuring 50 min 00 s, searching 16 min 40 s");
    CHECK(hours_by_class({}).empty());
}

TEST_CASE("The days of a budget are summed up over classes, oldest first", "[service][report]") {
    constexpr std::int64_t hour_s = 3600;
    const auto days = budget_days(
        {{20'001, {"xeon", MachineWork::nightly, hour_s, 0}},
         {20'000, {"xeon", MachineWork::nightly, 30 * hour_s, 0}},
         {20'000, {"a100", MachineWork::probe, 11 * hour_s, 0}}},
        40 * hour_s);
    CHECK(
        budget_words(days) ==
        "2024-10-04 41 h 00 min of 40 h (spent: work waited for the next day), 2024-10-05 "
        "1 h 00 min of 40 h");
    CHECK(budget_words({}).empty());
}

}  // namespace
}  // namespace vigil::service
