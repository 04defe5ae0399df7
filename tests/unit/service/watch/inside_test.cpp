#include "service/watch/search/inside.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

search::SeriesEnding of_series(int series) {
    search::SeriesEnding ending;
    ending.series = series;
    return ending;
}

/// Three series on two machine classes; the last one no longer runs.
BisectionSettings outer_settings() {
    BisectionSettings outer;
    outer.series = {SeriesId{11}, SeriesId{12}, SeriesId{13}};
    outer.groups = {MachineClassId{1}, MachineClassId{2}};
    outer.specs = {
        {.group = 0, .expected_ratio = 0.1},
        {.group = 1, .threshold = 0.05, .expected_ratio = 0.2},
        {.group = 1, .expected_ratio = 1}};
    outer.by_outcome = {2};
    outer.sessions = {SessionId{5}};
    outer.budget = {30, 9};
    outer.workers = 3;
    outer.nights = {{Revision(std::string(40, 'a')), 1}};
    outer.named = {Revision(std::string(40, 'b'))};
    return outer;
}

}  // namespace

TEST_CASE("Inside of a merge the named series go on at their size", "[service][watch]") {
    const auto outer = outer_settings();
    search::Problem inner;
    inner.series = {outer.specs[1], outer.specs[2]};
    inner.series[0].expected_ratio = 0.31;
    inner.series[1].expected_ratio = 0.5;
    inner.budget = {20, 4};
    inner.workers = 3;
    const auto settings = settings_inside(outer, inner, {of_series(1), of_series(2)});
    CHECK(settings.series == std::vector{SeriesId{12}, SeriesId{13}});
    CHECK(settings.groups == outer.groups);
    REQUIRE(settings.specs.size() == 2);
    CHECK(settings.specs[0].expected_ratio == 0.31);
    CHECK(settings.by_outcome == std::vector{1});
    CHECK(settings.specs[1].expected_ratio == 1);  // whether it runs has no size
    CHECK(settings.budget.max_probes == 20);
    CHECK(settings.budget.max_builds == 4);
    CHECK(settings.workers == 3);
    CHECK(settings.named.size() == 1);
    // What was measured of the line says nothing of a merge's commits.
    CHECK(settings.sessions.empty());
    CHECK(settings.nights.empty());
}
