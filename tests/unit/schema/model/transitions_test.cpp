#include "schema/model/transitions.hpp"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

using namespace vigil;

namespace {

using Arrows = std::set<std::pair<std::string, std::string>>;

/// The arrows of the drawing below **`machine`** in docs/architecture.md, but those that begin it.
Arrows drawn(const std::string& machine) {
    std::ifstream in(VIGIL_SOURCE_DIR "/docs/architecture.md");
    std::stringstream page;
    page << in.rdbuf();
    const auto text = page.str();
    const auto from = text.find("**" + machine + "**");
    REQUIRE(from != text.npos);
    const auto begin = text.find("```mermaid", from);
    const auto drawing = text.substr(begin, text.find("```", begin + 3) - begin);
    static const std::regex arrow(R"((\w+) --> (\w+))");
    Arrows arrows;
    std::sregex_iterator found(drawing.begin(), drawing.end(), arrow);
    for (; found != std::sregex_iterator(); ++found) arrows.emplace((*found)[1], (*found)[2]);
    return arrows;
}

template <class State>
Arrows coded() {
    Arrows arrows;
    for (const auto& [from, to] : Moves<State>::all) arrows.emplace(to_string(from), to_string(to));
    CHECK(arrows.size() == Moves<State>::all.size());
    return arrows;
}

}  // namespace

TEST_CASE("The state machines are drawn as they are", "[schema][model]") {
    CHECK(coded<JobState>() == drawn("Job"));
    CHECK(coded<NightlyState>() == drawn("Nightly"));
    CHECK(coded<SuspicionState>() == drawn("Suspicion"));
    CHECK(coded<RegressionState>() == drawn("Regression"));
    CHECK(coded<BisectionState>() == drawn("Bisection"));
    CHECK(coded<FixState>() == drawn("Search for the fix"));
    CHECK(coded<RevertState>() == drawn("Revert check"));
    CHECK(coded<CanaryState>() == drawn("Canary"));
    CHECK(coded<StormState>() == drawn("Storm"));
    CHECK(coded<AllocationState>() == drawn("Allocation"));
    CHECK(coded<BackfillState>() == drawn("Backfill"));
    CHECK(coded<RequestState>() == drawn("Request"));
    CHECK(coded<PullState>() == drawn("Commit of a pull request"));
}

TEST_CASE("What is not drawn may not happen", "[schema][model]") {
    CHECK(may_move(JobState::queued, JobState::leased));
    CHECK_FALSE(may_move(JobState::done, JobState::queued));
    CHECK_FALSE(may_move(NightlyState::failed, NightlyState::measuring));
    CHECK_FALSE(may_move(SuspicionState::ended, SuspicionState::open));
    CHECK_FALSE(may_move(RegressionState::refuted, RegressionState::closed));
    CHECK_FALSE(may_move(BisectionState::done, BisectionState::searching));
}
