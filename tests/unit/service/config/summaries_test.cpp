#include <catch2/catch.hpp>

#include "service/config/config.hpp"

using namespace vigil::service;

TEST_CASE("Summaries of nights go to trackers only when asked for", "[service][config]") {
    ReportTarget target;
    for (const auto kind : {TargetKind::folder, TargetKind::standard_output}) {
        target.kind = kind;
        CHECK(takes_night_summaries(target));
    }
    target.kind = TargetKind::issues;
    CHECK_FALSE(takes_night_summaries(target));
    target.night_summaries = true;
    CHECK(takes_night_summaries(target));
}
