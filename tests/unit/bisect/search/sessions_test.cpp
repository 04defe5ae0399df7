#include <algorithm>

#include <catch2/catch.hpp>

#include "bisect/search/choose.hpp"
#include "bisect/search/driver.hpp"
#include "bisect/search/evidence.hpp"
#include "bisect/stats/together.hpp"

using namespace vigil;
using namespace vigil::search;

TEST_CASE("Two sides take turns", "[bisect][search]") {
    CHECK(interleave(0, 7, 4) == std::vector{0, 7, 7, 0, 0, 7, 7, 0});
}

TEST_CASE("Every group of runs at once has a control, and none is one run", "[bisect][search]") {
    for (int at_once = 2; at_once <= 9; ++at_once) {
        for (int runs = 1; runs <= 16; ++runs) {
            CAPTURE(at_once, runs);
            const auto order = groups_of(5, runs, 0, 9, at_once);
            CHECK(std::count(order.begin(), order.end(), 5) == runs);
            for (const auto& group : stats::run_groups(order, at_once)) {
                REQUIRE(group.size() >= 2);
                const auto controls = std::count_if(group.begin(), group.end(), [&](int position) {
                    return order.at(static_cast<std::size_t>(position)) != 5;
                });
                CHECK(controls == 1);
            }
        }
    }
}

TEST_CASE("What was at once is a session of its own", "[bisect][search]") {
    Driver driver(9);
    ProbeRequest request;
    request.commits = {0, 5, 9, 5};
    request.series = {0};
    driver.add(Planned{request});
    // The second pair met a moment at which all took twice as long.
    driver.add(Ran{0, 0, 0, 0, 100, 0});
    driver.add(Ran{0, 1, 5, 0, 100, 0});
    driver.add(Ran{0, 2, 9, 0, 240, 2});
    driver.add(Ran{0, 3, 5, 0, 200, 2});
    Problem problem;
    problem.suspects = 9;
    problem.series = {{}};
    const auto facts = driver.facts();
    const auto evidence = gather(problem, facts, Line(problem, facts), 0);
    REQUIRE(evidence.runs.size() == 4);
    CHECK(evidence.runs[0].session == evidence.runs[1].session);
    CHECK(evidence.runs[2].session == evidence.runs[3].session);
    CHECK(evidence.runs[0].session != evidence.runs[2].session);
    CHECK(evidence.runs[3].probe == 0);
}
