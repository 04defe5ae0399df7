#include <cmath>

#include <catch2/catch.hpp>

#include "bisect/search/choose.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

// Runs of both ends, as many a side: a change of 6 % in noise of 20 %.
void measure(Facts& facts, int series, int runs) {
    for (int i = 0; i < runs; ++i) {
        const double noise = 0.2 * ((i % 4 < 2) ? 1 : -1) * (i % 2 == 0 ? 1.2 : 0.8);
        for (const int commit : {0, 2}) {
            const double change = commit == 0 ? 0 : 0.06;
            facts.observations.push_back(
                {-1, ProbePurpose::search, commit, series, 100 * std::exp(change + noise)});
        }
    }
}

}  // namespace

TEST_CASE("What one series still asks is not repeated for one that knows", "[bisect][search]") {
    Problem problem;
    problem.suspects = 2;
    problem.series = {{.group = 0}, {.group = 1}};
    Facts facts;
    measure(facts, 0, 4);
    measure(facts, 1, 40);
    facts.failures = {{.commit = 1, .times = 3}};
    facts.built = {0, 2};
    const Line line(problem, facts);
    const Availability availability(problem, facts);
    const auto first = gather(problem, facts, line, 0);
    const auto second = gather(problem, facts, line, 1);
    const Posterior of_first(first, line, MetricKind::time);
    const Posterior of_second(second, line, MetricKind::time);
    const Choice choice{
        line, availability, {{0, 0, &first, &of_first}, {1, 1, &second, &of_second}}, {}, 1};
    const auto option = choose(choice, {});
    REQUIRE(option);
    CHECK(option->commit == 2);
    REQUIRE(option->parts.size() == 1);
    CHECK(option->parts.front().series == std::vector{0});
}
