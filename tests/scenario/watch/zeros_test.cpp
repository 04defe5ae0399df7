// 0 is a value of what is counted: nothing allocated is the good case.

#include <string>

#include <catch2/catch.hpp>

#include "tests/scenario/watch/far_nights.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;
using Catch::Contains;

namespace {

struct FarAllocations : FarNights {
    FarAllocations() {
        auto& project = config.projects.at("far");
        project.judged = {Metric::reported_value, Metric::wall_time_ns};
        project.source.file_unconfirmed = true;
    }

    void allocations(int from, int to, double value, Metric metric = Metric::reported_value) {
        for (int day = from; day < to; ++day) {
            auto sent = night(day, value, "parse");
            sent.readings[0].variant = "allocs/op";
            sent.readings[0].metric = metric;
            sent.readings[0].unit = metric == Metric::reported_value ? "allocs/op" : "ns";
            take(sent);
            judge();
        }
    }
};

}  // namespace

TEST_CASE("From 0 allocations to 2 is filed as that, and recovers at 0", "[watch][elsewhere]") {
    FarAllocations far;
    far.allocations(0, 14, 0);
    CHECK(far.count("night_value WHERE median = 0") == 14);
    CHECK(far.count("trouble") == 0);
    CHECK(far.count("suspicion") == 0);
    far.allocations(14, 16, 2);
    CHECK(far.count("suspicion WHERE base = 0 AND value = 2 AND change_ratio > 1e300") == 1);
    CHECK(far.text("SELECT state FROM regression") == "reported");
    const auto title = far.text("SELECT title FROM report WHERE kind = 'regression'");
    CHECK_THAT(title, Contains("parse allocs/op 0 -> 2 allocs/op since"));
    const auto body = far.text("SELECT body FROM report WHERE kind = 'regression'");
    CHECK_THAT(body, Contains("0 -> 2 allocs/op") && !Contains("+inf") && !Contains("nan %"));
    far.allocations(16, 22, 0);
    CHECK(far.text("SELECT state FROM regression") == "closed");
    CHECK(far.count("trouble") == 0);
}

TEST_CASE("What was around 0 and stays above it is filed all the same", "[watch][elsewhere]") {
    FarAllocations far;
    for (int day = 0; day < 22; ++day) far.allocations(day, day + 1, day == 9 ? 1 : 0);
    const auto before = far.count("regression");
    far.allocations(22, 26, 1);
    CHECK(far.count("regression") == before + 1);
    CHECK(far.text("SELECT state FROM regression ORDER BY id DESC LIMIT 1") == "reported");
}

TEST_CASE("A night around 0 that earlier ones have shown is no news", "[watch][elsewhere]") {
    FarAllocations far;
    for (int day = 0; day < 40; ++day) far.allocations(day, day + 1, day % 9 == 4 ? 1 : 0);
    CHECK(far.count("regression") <= 1);  // the first of them was news
    CHECK(far.count("suspicion WHERE value > 0") <= 1);
    far.allocations(40, 43, 0, Metric::wall_time_ns);  // no time is 0
    CHECK(far.count("unjudged_measurement") == 3);
    CHECK(far.count("trouble WHERE kind = 'series.not_judged'") == 1);
}
