#include "bisect/search/onward.hpp"

#include <catch2/catch.hpp>

using namespace vigil::search;

namespace {

constexpr Onward deeper(int merge) {
    return {true, {merge, 2}};
}

}  // namespace

TEST_CASE("A search goes on inside of a merge, and of nothing else", "[bisect][search]") {
    FinishedSearch ended{.ending = Ending::culprit, .answer = {1}};
    CHECK_FALSE(onward(ended));
    ended.answer = {2};
    CHECK(onward(ended) == deeper(0));
    ended.ending = Ending::not_reproduced;
    CHECK_FALSE(onward(ended));
}

TEST_CASE("A range is gone into if it was verified, at its newest merge", "[bisect][search]") {
    FinishedSearch ended{.ending = Ending::range, .answer = {1, 2, 2}};
    CHECK_FALSE(onward(ended));
    ended.verified = true;
    CHECK(onward(ended) == deeper(1));
    ended.door = Door{0, 2};  // inside of a merge that is the answer already
    CHECK_FALSE(onward(ended));
    ended = {.ending = Ending::range, .verified = true, .answer = {1, 1}};
    CHECK_FALSE(onward(ended));
}

TEST_CASE("Merges inside of merges are entered to a bounded depth", "[bisect][search]") {
    FinishedSearch ended{.ending = Ending::culprit, .answer = {2}, .depth = most_depth};
    CHECK(onward(ended));
    ++ended.depth;
    CHECK_FALSE(onward(ended));
}

TEST_CASE("What one parent does not show alone is looked for in the next", "[bisect][search]") {
    FinishedSearch ended{
        .ending = Ending::not_reproduced, .depth = 2, .door = Door{0, 2}, .outer = {3}};
    CHECK(onward(ended) == Onward{false, {0, 3}});
    ended.door = Door{0, 3};
    CHECK_FALSE(onward(ended));
    ended.outer = {3, 1, 2};  // of a range: then in the next older merge
    CHECK(onward(ended) == Onward{false, {2, 2}});
    ended.ending = Ending::range;  // an end that cannot be built, for one
    CHECK_FALSE(onward(ended));
}

TEST_CASE("Searches on the way into a merge share a budget", "[bisect][search]") {
    Problem outer;
    outer.suspects = 4;
    outer.series = {{.expected_ratio = 0.1}, {.threshold = 0.05, .expected_ratio = 0.2}};
    outer.weights = {1, 1, 1, 2};
    outer.budget = {30, 9, 100};
    outer.workers = 3;
    outer.at_once = 4;
    Facts facts;
    facts.asked.resize(2);
    facts.asked[0].commits = {0, 4, 4, 0};
    facts.asked[0].series = {0, 1};
    facts.asked[1].commits = {0, 3};
    facts.asked[1].series = {1};
    facts.built = {0, 1, 4};
    facts.failures = {{3, 2, false}};
    const auto spent = spent_by(outer, facts);
    CHECK(spent.builds == 2);  // commit 3 once, the ends never
    SeriesEnding found;
    found.series = 1;
    found.ending = Ending::culprit;
    found.verified.change_ratio = 0.31;
    const auto inner = problem_inside(outer, spent, {found});
    CHECK(inner.budget.max_probes == 28);
    CHECK(inner.budget.max_builds == 7);
    CHECK(inner.budget.max_runs == 90);
    CHECK(inner.workers == 3);
    CHECK(inner.at_once == 4);
    CHECK(inner.weights.empty());
    REQUIRE(inner.series.size() == 1);
    CHECK(inner.series[0].threshold == 0.05);
    CHECK(inner.series[0].expected_ratio == 0.31);
    found.ending = Ending::range;  // nothing better was verified
    CHECK(problem_inside(outer, spent, {found}).series[0].expected_ratio == 0.2);
    CHECK_FALSE(is_left(left_of({2, 9, 100}, spent)));
}
