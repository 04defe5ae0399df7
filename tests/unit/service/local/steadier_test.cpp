#include "service/local/steadier.hpp"

#include <catch2/catch.hpp>

using namespace vigil::local;
using Catch::Contains;

namespace {

/// What is said of so many runs, all with this share.
std::string said(Measure measure, double share, int runs = 12) {
    SteadierHint hint(measure, 12);
    std::string all;
    for (int i = 0; i < runs; ++i) all += hint.after(share);
    return all;
}

}  // namespace

TEST_CASE("Who measures wall time for long hears of a steadier metric, once", "[service][local]") {
    CHECK(said(Measure::time, 0.98, 11).empty());
    CHECK_THAT(
        said(Measure::time, 0.98), Contains("computes nearly all") && Contains("--metric cpu"));
    CHECK(said(Measure::time, 0.98, 40) == said(Measure::time, 0.98));
}

TEST_CASE("A machine that is not quiet is told of after few runs, once", "[service][local]") {
    CHECK(said(Measure::time, 0.45, 3).empty());
    CHECK_THAT(
        said(Measure::time, 0.45, 4), Contains("for 45 % of its time") && Contains("--metric cpu"));
    CHECK(said(Measure::time, 0.45, 40) == said(Measure::time, 0.45, 4));
}

TEST_CASE("Nothing is said where processor time would not do", "[service][local]") {
    CHECK(said(Measure::cpu, 0.98).empty());
    CHECK(said(Measure::memory, 0.98).empty());
    CHECK(said(Measure::time, 3.7).empty());   // several threads
    CHECK(said(Measure::time, 0.02).empty());  // it waits for something of its own
}
