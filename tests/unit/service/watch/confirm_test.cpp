#include <catch2/catch.hpp>

#include "service/watch/confirm/night_budget.hpp"
#include "service/watch/confirm/session.hpp"
#include "service/watch/machines/canary.hpp"
#include "service/watch/machines/storm.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

OpenSuspicion suspicion(std::int64_t id, double chance, const std::string& variant) {
    OpenSuspicion one;
    one.id = SuspicionId{id};
    one.chance = chance;
    one.series.variant = variant;
    one.old_nights = "[1]";
    return one;
}

}  // namespace

TEST_CASE(
    "What no longer runs gets its session first, then the most valuable", "[service][watch]") {
    std::vector open{
        suspicion(1, 0.1, "a"),
        suspicion(2, 0.9, "b"),
        suspicion(3, 0, "c"),
        suspicion(4, 0.2, "a")};
    open[2].by_outcome = true;
    detect::RunBudget budget(2 * detect::rule.held_runs);
    const auto sessions = choose_sessions(open, {}, budget);
    REQUIRE(sessions.size() == 2);  // the third has no runs left
    CHECK(sessions[0].suspicions.front().id == SuspicionId{3});
    CHECK(sessions[1].suspicions.front().id == SuspicionId{2});
}

TEST_CASE("Suspicions of one variant and one pair of builds share a session", "[service][watch]") {
    std::vector open{suspicion(1, 0.1, "a"), suspicion(2, 0.9, "a"), suspicion(3, 0.5, "a")};
    open[2].old_nights = "[2]";
    detect::RunBudget budget(100);
    const auto sessions = choose_sessions(open, {}, budget);
    REQUIRE(sessions.size() == 2);
    REQUIRE(sessions[0].suspicions.size() == 2);
    CHECK(sessions[0].suspicions[0].id == SuspicionId{1});  // as they were opened
    CHECK(sessions[0].suspicions[1].id == SuspicionId{2});
    CHECK(budget.taken() == 2 * detect::rule.held_runs);
}

TEST_CASE("A case that is measured alone has a session of its own", "[service][watch][cases]") {
    const std::vector open{suspicion(1, 0.1, "a"), suspicion(2, 0.9, "a"), suspicion(3, 0.5, "a")};
    detect::RunBudget budget(100);
    const auto sessions =
        choose_sessions(open, {{SuspicionId{1}, "one"}, {SuspicionId{3}, "one"}}, budget);
    REQUIRE(sessions.size() == 2);
    CHECK(sessions[0].case_name.empty());
    CHECK(sessions[0].suspicions.size() == 1);
    CHECK(sessions[1].case_name == "one");
    CHECK(sessions[1].suspicions.size() == 2);
}

TEST_CASE("Two halves are one block, and an empty job is none", "[service][watch]") {
    const std::vector<SessionJob> jobs{
        {JobId{1}, false, 2, 2},
        {JobId{2}, false, 4, 1},
        {JobId{3}, false, 2, 2},
        {JobId{4}, false, 4, 2},
        {JobId{5}, true, 4, 0}};
    const auto state = state_of(jobs);
    CHECK(state.open_jobs == 1);
    CHECK(state.empty_jobs == 1);
    CHECK(state.runs == 8);
    const std::vector<SessionValue> values{
        {JobId{1}, false, 1},
        {JobId{1}, true, 2},
        {JobId{2}, true, 3},
        {JobId{3}, false, 4},
        {JobId{4}, true, 5}};
    const auto runs = runs_in_blocks(jobs, values);
    REQUIRE(runs.size() == 4);
    CHECK(runs[0].block == 0);
    CHECK(runs[2].block == 0);
    CHECK(runs[2].value == 4);
    CHECK(runs[3].block == 1);
    CHECK(runs[3].side == detect::Side::b);
}

TEST_CASE("A build that no longer runs is broken only where the old one runs", "[service][watch]") {
    CHECK(verdict_of({2, 2, 2, 0}) == Verdict::broken);
    CHECK(verdict_of({2, 2, 2, 1}) == Verdict::noise);
    CHECK(verdict_of({2, 0, 2, 0}) == Verdict::environment);
    CHECK_FALSE(verdict_of({1, 1, 2, 0}));
}

TEST_CASE("A class moved as one when all went one way and nobody stood still", "[service][watch]") {
    std::vector<MovedCanary> moved(2);
    moved[0].up = moved[1].up = true;
    CHECK(moved_as_one(moved, false));
    CHECK_FALSE(moved_as_one(moved, true));
    moved[1].up = false;
    CHECK_FALSE(moved_as_one(moved, false));
}

TEST_CASE(
    "A change within the threshold of its machine's move is explained by it", "[service][watch]") {
    CHECK(is_explained(0.2, log_of_change(0.15), 0.07));
    CHECK_FALSE(is_explained(0.3, log_of_change(0.15), 0.07));
    CHECK_FALSE(is_explained(0, log_of_change(0.15), 0.07));
}
