#include "bisect/search/driver.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

Problem problem_of(int suspects) {
    Problem problem;
    problem.suspects = suspects;
    problem.series = {{}};
    problem.workers = 3;
    return problem;
}

Planned asks(std::vector<int> commits) {
    ProbeRequest request;
    request.commits = std::move(commits);
    request.series = {0};
    return {request};
}

Planned ends_of(int suspects) {
    return asks({0, suspects, suspects, 0});
}

/// What a probe of a world brings whose level rises by a fifth at `culprit`.
std::vector<Event> results_of(const ProbeRequest& request, int number, int culprit, int broken) {
    std::vector<Event> results;
    int position = 0;
    for (const int commit : request.commits) {
        if (commit == broken) {
            results.push_back(BuildFailed{commit});
            break;
        }
        results.push_back(Built{commit, "product " + std::to_string(commit)});
        const double wobble = 1 + 0.002 * ((number + position) % 3 - 1);
        const double value = 100 * wobble * (commit >= culprit ? 1.2 : 1);
        results.push_back(Ran{number, position++, commit, 0, value});
    }
    results.push_back(ProbeEnded{number});
    return results;
}

/// Plays a search to its end, the results of probes that are open together in a random order.
std::vector<Event> play(Driver& driver, int culprit, int broken, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Event> told;
    const auto problem = problem_of(driver.suspects());
    const auto tell = [&](const Event& event) {
        driver.add(event);
        told.push_back(event);
    };
    for (int step = 0; step < 100; ++step) {
        const auto decision = driver.decide(problem);
        if (decision.done) return told;
        const auto first = driver.probes().size();
        for (const auto& probe : decision.probes) tell(Planned{probe});
        std::vector<Event> results;
        for (auto number = first; number < driver.probes().size(); ++number) {
            const auto& request = driver.probes()[number].request;
            const auto mine = results_of(request, static_cast<int>(number), culprit, broken);
            results.insert(results.end(), mine.begin(), mine.end());
        }
        std::shuffle(results.begin(), results.end(), random);
        for (const auto& result : results) tell(result);
    }
    FAIL("no end");
    return told;
}

}  // namespace

TEST_CASE("The same events give the same decision, at once or step by step", "[bisect][search]") {
    Driver live(30);
    const auto told = play(live, 17, 12, 1);
    Driver again(30);
    for (const auto& event : told) again.add(event);
    const auto problem = problem_of(30);
    const auto first = live.decide(problem);
    const auto second = again.decide(problem);
    REQUIRE(first.done);
    CHECK(first.endings.front().ending == Ending::culprit);
    CHECK(first.endings.front().first == 17);
    CHECK(first.summary == second.summary);
    CHECK(first.posterior == second.posterior);
}

TEST_CASE("In which order results come does not matter", "[bisect][search]") {
    Driver one(30);
    play(one, 17, 12, 1);
    const auto seed = GENERATE(2u, 3u, 4u);
    Driver other(30);
    play(other, 17, 12, seed);
    const auto problem = problem_of(30);
    CHECK(one.decide(problem).posterior == other.decide(problem).posterior);
    CHECK(one.facts().product == other.facts().product);
    REQUIRE(one.facts().observations.size() == other.facts().observations.size());
    for (std::size_t i = 0; i < one.facts().observations.size(); ++i) {
        CHECK(one.facts().observations[i].value == other.facts().observations[i].value);
    }
}

TEST_CASE("Runs of confirmation come first, session by session", "[bisect][search]") {
    Driver driver(4);
    driver.add(ends_of(4));
    for (int i = 0; i < 4; ++i) driver.add(Ran{0, i, i % 3 == 0 ? 0 : 4, 0, 100});
    driver.add(Ran{-2, 0, 0, 0, 102});
    driver.add(Ran{-1, 1, 4, 0, 101});
    driver.add(Ran{-1, 0, 0, 0, 100});
    std::vector<int> probes;
    for (const auto& o : driver.facts().observations) probes.push_back(o.probe);
    CHECK(probes == std::vector{-1, -1, -2, 0, 0, 0, 0});
    CHECK(driver.facts().observations[0].commit == 0);
}

TEST_CASE("A probe is over when all of it has run, or when it is said so", "[bisect][search]") {
    Driver driver(4);
    driver.add(ends_of(4));
    driver.add(ends_of(4));
    for (int position = 0; position < 4; ++position) {
        CHECK(driver.facts().open_probes == std::vector{0, 1});
        CHECK(driver.facts().observations.empty());
        driver.add(Ran{0, position, position % 3 == 0 ? 0 : 4, 0, 100});
    }
    CHECK(driver.facts().open_probes == std::vector{1});
    CHECK(driver.facts().observations.size() == 4);
    driver.add(Ran{1, 2, 4, 0, 100});
    driver.add(ProbeEnded{1});
    CHECK(driver.facts().open_probes.empty());
    CHECK(driver.facts().observations.size() == 5);
}

TEST_CASE("Equal products are equal numbers, unknown ones none", "[bisect][search]") {
    Driver driver(4);
    driver.add(Built{3, "b"});
    driver.add(Built{0, "a"});
    driver.add(Built{1, "a"});
    driver.add(Built{2});
    CHECK(driver.facts().product == std::vector{0, 0, -1, 1, -1});
    CHECK(driver.facts().built == std::vector{0, 1, 2, 3});
}

TEST_CASE("A failed build ends the probes that wait for it, if it was theirs", "[bisect][search]") {
    Driver driver(4, {0, 4});
    driver.add(ends_of(4));
    driver.add(asks({0, 2}));
    driver.add(BuildFailed{.commit = 2});
    CHECK(driver.facts().open_probes == std::vector{0, 1});
    driver.add(BuildFailed{.commit = 2, .probe = 1});
    CHECK(driver.facts().open_probes == std::vector{0});
    REQUIRE(driver.facts().failures.size() == 1);
    CHECK(driver.facts().failures[0].times == 2);
    driver.add(BuildFailed{.commit = 4, .probe = 0});
    CHECK(driver.facts().open_probes.empty());
    CHECK(driver.facts().failures.size() == 1);  // of an end that whoever searches refuses
    driver.add(Built{4, "d", 0});
    CHECK(driver.facts().open_probes == std::vector{0});
    driver.add(Built{2, "c"});
    CHECK(driver.facts().failures.empty());
}

TEST_CASE(
    "Runs that fail twice tell of their commit, lost ones when there are many",
    "[bisect][search]") {
    Driver driver(9);
    driver.add(asks({0, 2, 2, 0}));
    driver.add(RunFailed{0, 1, 2});
    CHECK_FALSE(driver.probe(0).over);
    driver.add(RunFailed{0, 2, 2});
    CHECK(driver.probe(0).over);
    REQUIRE(driver.facts().failures.size() == 1);
    CHECK(driver.facts().failures[0].built);
    CHECK(driver.facts().failures[0].times == 2);
    driver.add(asks({0, 5, 5, 5, 5, 5, 0}));
    for (int position = 1; position < 5; ++position) {
        CHECK(driver.facts().failures.size() == 1);
        driver.add(RunFailed{1, position, 5, Loss::lost});
    }
    CHECK(driver.facts().failures.size() == 2);
    driver.add(Ran{1, 5, 5, 0, 100});
    CHECK(driver.facts().failures.size() == 1);
    CHECK(driver.lost_probes() == 0);
    driver.add(asks({0, 3}));
    driver.add(ProbeEnded{2, true});
    CHECK(driver.lost_probes() == 1);
}

TEST_CASE("What cannot follow what was told before is refused", "[bisect][search]") {
    Driver driver(3);
    CHECK_THROWS_AS(driver.add(Ran{0, 0, 1, 0, 1}), Error);
    CHECK_THROWS_AS(driver.add(Built{4}), Error);
    CHECK_THROWS_AS(driver.add(asks({0, 4})), Error);
    CHECK(driver.probes().empty());
    driver.add(ends_of(3));
    driver.add(Ran{0, 1, 3, 0, 1});
    CHECK_THROWS_WITH(driver.add(Ran{0, 1, 3, 0, 1}), Catch::Contains("measured twice"));
    CHECK_THROWS_AS(driver.add(BuildFailed{.commit = 1, .probe = 1}), Error);
}

TEST_CASE("What is known by its product needs no runs", "[bisect][search]") {
    Driver driver(8);
    const auto ask = [&](std::vector<int> commits) {
        ProbeRequest request;
        request.commits = std::move(commits);
        request.series = {0};
        driver.add(Planned{request});
    };
    driver.add(Built{0, "good"});
    driver.add(Built{8, "bad"});
    ask({0, 8});
    CHECK(driver.needless_probes().empty());  // nothing was measured yet
    driver.add(Ran{0, 0, 0, 0, 100});
    driver.add(Ran{0, 1, 8, 0, 130});
    ask({0, 4, 4});
    CHECK(driver.needless_probes().empty());  // its product is not known
    driver.add(Built{4, "good", 1});
    CHECK(driver.needless_probes() == std::vector{1});
    driver.add(ProbeEnded{1});
    ask({6, 0});
    driver.add(Built{6, "own", 2});
    CHECK(driver.needless_probes().empty());
    ask({0, 8});  // asked for once more: that tells of its noise
    CHECK(driver.needless_probes().empty());
}
