// Where a class has several machines, a culprit is named when a second one shows it too.

#include <algorithm>

#include <catch2/catch.hpp>

#include "bisect/search/rules.hpp"
#include "tests/unit/bisect/search/world.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

constexpr int slow_from = 23;
using Names = std::vector<std::string>;

World not_confirmed(std::uint64_t seed, Names there, SeriesTruth truth) {
    World world(70, {std::move(truth)}, seed);
    world.machines = there;
    world.problem.machines = {{.there = std::move(there)}};
    return world;
}

World machines_of(std::uint64_t seed, Names there, SeriesTruth truth) {
    auto world = not_confirmed(seed, std::move(there), std::move(truth));
    world.confirm(6);
    return world;
}

SeriesTruth made_slower(double ratio) {
    return {.changes = {{slow_from, ratio}}, .noise = 0.01};
}

/// It measures all but what is asked of another one.
World deceived_by_a(std::uint64_t seed) {
    auto world = not_confirmed(seed, {"a"}, {.noise = 0.01});
    world.changes_on["a"] = {{slow_from, 0.12}};
    world.confirm(6);
    return world;
}

/// Probes that were asked for on another machine.
std::vector<ProbeRequest> repeated(const World& world) {
    std::vector<ProbeRequest> all;
    for (const auto& asked : world.asked()) {
        if (!asked.not_on.empty()) all.push_back(asked);
    }
    return all;
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool asks_same(const ProbeRequest& a, const ProbeRequest& b) {
    return a.commits == b.commits && a.purpose == b.purpose && a.series == b.series &&
           a.why == b.why && a.not_on == b.not_on;
}

}  // namespace

TEST_CASE("With one machine nothing is asked, and nothing is said of it", "[bisect][search]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        auto alone = machines_of(seed, {"a"}, made_slower(0.15));
        auto unknown = machines_of(seed, {}, made_slower(0.15));
        const auto decision = alone.play();
        const auto before = unknown.play();
        const auto& one = alone.asked();
        const auto& other = unknown.asked();
        CHECK(std::equal(one.begin(), one.end(), other.begin(), other.end(), asks_same));
        CHECK(decision.endings.at(0).reason == before.endings.at(0).reason);
        CHECK(decision.endings.at(0).first == slow_from);
        CHECK(decision.endings.at(0).machines == Names{"a"});
        CHECK(before.endings.at(0).machines.empty());
    }
}

TEST_CASE("A culprit is named when it shows on two machines", "[bisect][search]") {
    int named = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        auto world = machines_of(seed, {"a", "b"}, made_slower(0.15));
        const auto decision = world.play();
        const auto& ending = decision.endings.at(0);
        if (ending.ending != Ending::culprit) continue;
        ++named;
        CHECK(ending.first == slow_from);
        REQUIRE(ending.machines.size() == 2);
        const auto words = "verified on two machines (" + ending.machines[0] + " and " +
                           ending.machines[1] + ") against its parent: ";
        CHECK(ending.reason.starts_with(words));
        for (const auto& asked : repeated(world)) {
            CHECK(asked.purpose == ProbePurpose::verify);
            CHECK(says(asked.why, "; repeated on another machine than " + asked.not_on));
        }
    }
    CHECK(named >= 39);
}

TEST_CASE("The second machine measures the same builds, once they are verified", "[bisect]") {
    auto world = machines_of(1, {"a", "b"}, made_slower(0.3));
    world.away = {"b"};
    world.play();
    const auto asked = repeated(world);
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].not_on == "a");
    const auto runs = std::count(asked[0].commits.begin(), asked[0].commits.end(), slow_from);
    CHECK(runs >= rule.least_runs);
    CHECK(std::count(asked[0].commits.begin(), asked[0].commits.end(), slow_from - 1) == runs);
    CHECK(runs * 2 == std::ssize(asked[0].commits));
    CHECK(asks_same(world.asked().back(), asked[0]));
}

TEST_CASE("If no second machine comes, one is said, and none is asked again", "[bisect][search]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        auto world = machines_of(seed, {"a", "b"}, made_slower(0.15));
        world.away = {"b"};
        const auto decision = world.play();
        CHECK(repeated(world).size() == 1);
        CHECK(decision.endings.at(0).first == slow_from);
        CHECK(decision.endings.at(0).machines == Names{"a"});
        CHECK(decision.endings.at(0).reason.starts_with(
            "verified on one machine (a) against its parent: "));
    }
}

TEST_CASE("A machine that can be had on demand is asked for", "[bisect][search]") {
    auto world = machines_of(1, {"a"}, made_slower(0.15));
    world.problem.machines[0].to_come = 1;
    const auto decision = world.play();
    CHECK(repeated(world).size() == 1);
    CHECK(decision.endings.at(0).first == slow_from);
    CHECK(decision.endings.at(0).machines == Names{"a"});
}

TEST_CASE("What one machine alone makes slower is not named", "[bisect][search]") {
    int told = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        const auto deceived = deceived_by_a(seed).play();
        CHECK(deceived.endings.at(0).first == slow_from);
        CHECK(deceived.endings.at(0).ending == Ending::culprit);
        auto world = deceived_by_a(seed);
        world.problem.machines[0].there.emplace_back("b");
        world.only_repeats = {"b"};
        const auto decision = world.play();
        const auto& ending = decision.endings.at(0);
        CHECK(decision.done);
        CHECK(ending.ending != Ending::culprit);
        CHECK(ending.machines.empty());
        told += says(ending.reason, "was verified on one machine only: +") &&
                says(ending.reason, " % on a (") && says(ending.reason, " % on b (");
    }
    CHECK(told >= 38);
}

TEST_CASE("A change for the better is not repeated", "[bisect][search]") {
    auto world =
        machines_of(3, {"a", "b"}, {.changes = {{slow_from, 0.3}, {50, -0.15}}, .noise = 0.005});
    const auto decision = world.play();
    CHECK(decision.endings.at(0).first == slow_from);
    REQUIRE(decision.further.size() == 1);
    CHECK(decision.further[0].first == 50);
    for (const auto& asked : repeated(world)) {
        CHECK(std::count(asked.commits.begin(), asked.commits.end(), 50) == 0);
    }
}

TEST_CASE("One of several series is repeated on another machine for all", "[bisect][search]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        World world(70, {made_slower(0.15), made_slower(0.2), made_slower(0.12)}, seed);
        world.machines = {"a"};
        world.only_repeats = {"b"};
        world.problem.machines = {{.there = {"a", "b"}}};
        world.confirm(6);
        const auto decision = world.play();
        std::size_t on_two = 0;
        for (const auto& ending : decision.endings) {
            CHECK(ending.ending == Ending::culprit);
            CHECK(ending.first == slow_from);
            if (ending.machines.size() == 2) ++on_two;
        }
        CHECK(on_two == 1);
        for (const auto& asked : repeated(world)) CHECK(asked.series.size() == 1);
    }
}

TEST_CASE("A series with another culprit is repeated by itself", "[bisect][search]") {
    const SeriesTruth later{.changes = {{slow_from + 20, 0.2}}, .noise = 0.01};
    World world(70, {made_slower(0.15), later}, 1);
    world.machines = {"a"};
    world.only_repeats = {"b"};
    world.problem.machines = {{.there = {"a", "b"}}};
    world.confirm(6);
    const auto decision = world.play();
    REQUIRE(decision.endings.size() == 2);
    CHECK(decision.endings[0].first == slow_from);
    CHECK(decision.endings[1].first == slow_from + 20);
    for (const auto& ending : decision.endings) CHECK(ending.machines.size() == 2);
}
