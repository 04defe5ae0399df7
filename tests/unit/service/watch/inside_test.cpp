#include "service/watch/search/inside.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

search::SeriesEnding ending_of(int series, search::Ending ending, double change_ratio) {
    search::SeriesEnding one;
    one.series = series;
    one.ending = ending;
    one.verified.change_ratio = change_ratio;
    return one;
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
    const auto culprit = search::Ending::culprit;
    const auto settings = settings_inside(
        outer_settings(), {ending_of(1, culprit, 0.31), ending_of(2, culprit, 0.5)}, {20, 4});
    CHECK(settings.series == std::vector{SeriesId{12}, SeriesId{13}});
    CHECK(settings.groups == std::vector{MachineClassId{2}});
    REQUIRE(settings.specs.size() == 2);
    CHECK(settings.specs[0].group == 0);
    CHECK(settings.specs[0].threshold == 0.05);
    CHECK(settings.specs[0].expected_ratio == 0.31);
    CHECK(settings.by_outcome == std::vector{1});
    CHECK(settings.specs[1].expected_ratio == 1);  // whether it runs has no size
    CHECK(settings.budget.max_probes == 20);
    CHECK(settings.budget.max_builds == 4);
    CHECK(settings.workers == 3);
    CHECK(settings.named.size() == 1);
}

TEST_CASE("What was measured of the line says nothing of a merge's commits", "[service][watch]") {
    const auto range = search::Ending::range;
    const auto settings = settings_inside(outer_settings(), {ending_of(0, range, 0.3)}, {20, 4});
    CHECK(settings.sessions.empty());
    CHECK(settings.nights.empty());
    CHECK(settings.specs[0].expected_ratio == 0.1);  // nothing better was verified
}

TEST_CASE("Searches of one regression share a budget", "[service][watch]") {
    EndedBisection ended;
    ended.row.settings = outer_settings();
    ended.suspects.resize(5);
    for (const auto built : {0, 1, 3, 4}) {
        ended.suspects[static_cast<std::size_t>(built)].build = BuildId{built + 1};
    }
    const auto left = budget_left(ended, 12);
    CHECK(left.max_probes == 18);
    CHECK(left.max_builds == 7);  // the ends were built by the nights
}
