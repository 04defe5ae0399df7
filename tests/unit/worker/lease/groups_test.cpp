#include "worker/lease/groups.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::worker;

namespace {

using Groups = std::vector<std::vector<int>>;

/// Steps as pairs of build and benchmark; each benchmark with its `interleave`.
JobPlan plan_of(const std::vector<int>& interleave, const std::vector<Step>& steps) {
    JobPlan plan;
    for (const int together : interleave) {
        plan.benchmarks.emplace_back().interleave = together;
    }
    plan.steps = steps;
    return plan;
}

}  // namespace

TEST_CASE("Runs of two builds of an interleaving benchmark form a group", "[worker][lease]") {
    const std::vector<Step> abba{{0, 0}, {1, 0}, {1, 0}, {0, 0}};
    CHECK(group_steps(plan_of({4}, abba), {0, 1}) == Groups{{0, 1, 2, 3}});
    CHECK(group_steps(plan_of({2}, abba), {0, 1}) == Groups{{0, 1}, {2, 3}});
    CHECK(group_steps(plan_of({3}, abba), {0, 1}) == Groups{{0, 1, 2}, {3}});
    CHECK(group_steps(plan_of({1}, abba), {0, 1}) == Groups{{0}, {1}, {2}, {3}});
}

TEST_CASE("Runs of one product are not grouped, so they meet different moments", "[worker]") {
    const std::vector<Step> steps{{0, 0}, {1, 0}, {0, 0}};
    CHECK(group_steps(plan_of({4}, steps), {5, 5}) == Groups{{0}, {1}, {2}});
    CHECK(group_steps(plan_of({4}, steps), {5, 6}) == Groups{{0, 1, 2}});
}

TEST_CASE("Benchmarks that alternate in the plan are grouped each for itself", "[worker]") {
    const std::vector<Step> steps{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    CHECK(group_steps(plan_of({4, 4}, steps), {0, 1}) == Groups{{0, 2}, {1, 3}});
    CHECK(group_steps(plan_of({1, 4}, steps), {0, 1}) == Groups{{0}, {1, 3}, {2}});
}

TEST_CASE("Steps whose build could not be made are left out", "[worker][lease]") {
    const std::vector<Step> steps{{0, 0}, {1, 0}, {2, 0}, {0, 0}};
    CHECK(group_steps(plan_of({4}, steps), {0, -1, 1}) == Groups{{0, 2, 3}});
    CHECK(group_steps(plan_of({4}, steps), {-1, -1, -1}).empty());
}
