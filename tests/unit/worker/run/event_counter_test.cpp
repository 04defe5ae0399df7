#include "worker/run/event_counter.hpp"

#include <cerrno>

#include <catch2/catch.hpp>

using namespace vigil::worker;
using Catch::Contains;

TEST_CASE("What was counted is the difference of two readings", "[worker][run]") {
    CHECK(counted_between({100, 5, 5}, {1100, 25, 25}) == 1000);
    CHECK(counted_between({}, {7, 1, 1}) == 7);
}

TEST_CASE("A part of what ran is no count", "[worker][run]") {
    CHECK(counted_between({0, 0, 0}, {1000, 20, 19}) == 0);  // others had the counter meanwhile
    CHECK(counted_between({0, 10, 5}, {1000, 30, 25}) == 1000);
    CHECK(counted_between({0, 0, 0}, {1000, 0, 0}) == 0);  // it never was wanted
    CHECK(counted_between({5, 1, 1}, {5, 2, 2}) == 0);
    CHECK(counted_between({5, 1, 1}, {}) == 0);  // it could not be read again
}

TEST_CASE("A refused counter is told with what to do", "[worker][run]") {
    for (const int error : {EACCES, EPERM}) {
        const auto refused = counter_refusal(error, "4");
        CHECK_THAT(refused.why, Contains("/proc/sys/kernel/perf_event_paranoid is 4"));
        CHECK_THAT(refused.advice, Contains("sysctl kernel.perf_event_paranoid=2"));
    }
    CHECK_THAT(counter_refusal(EPERM, "").why, Contains("is not shown"));
    for (const int error : {ENOENT, ENODEV, EOPNOTSUPP}) {
        const auto refused = counter_refusal(error, "2");
        CHECK_THAT(refused.why, Contains("this machine shows no such counters"));
        CHECK(refused.advice.empty());
    }
    CHECK_THAT(counter_refusal(ENOSYS, "").why, Contains("no perf_event_open"));
    CHECK_THAT(counter_refusal(EMFILE, "").why, Contains("Too many open files"));
}
