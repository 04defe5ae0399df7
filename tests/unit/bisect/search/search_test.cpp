#include "bisect/search/search.hpp"

#include <random>
#include <sstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/unit/bisect/search/world.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

SeriesTruth slower_at(int commit, double ratio = 0.25) {
    SeriesTruth truth;
    truth.changes = {{commit, ratio}};
    truth.noise = 0.012;
    return truth;
}

bool same(const Decision& a, const Decision& b) {
    const auto probes_equal = [](const ProbeRequest& x, const ProbeRequest& y) {
        return x.group == y.group && x.purpose == y.purpose && x.commits == y.commits &&
               x.series == y.series && x.why == y.why;
    };
    return a.done == b.done && a.summary == b.summary && a.posterior == b.posterior &&
           std::equal(
               a.probes.begin(), a.probes.end(), b.probes.begin(), b.probes.end(), probes_equal);
}

}  // namespace

TEST_CASE("Without a first observation the two ends are measured", "[bisect][search]") {
    World world(70, {slower_at(20)}, 1);
    const Decision d = next(world.problem, world.facts());
    REQUIRE(d.probes.size() == 1);
    CHECK(d.probes[0].commits == std::vector<int>{0, 70, 70, 0});
    CHECK(d.probes[0].purpose == ProbePurpose::search);
    REQUIRE(d.posterior.size() == 1);
    CHECK(d.posterior[0].size() == 70);
}

TEST_CASE("Confirmation's runs count: clear ends are not measured again", "[bisect][search]") {
    World world(70, {slower_at(20)}, 2);
    world.confirm(4);
    const Decision d = next(world.problem, world.facts());
    REQUIRE(d.probes.size() == 1);
    CHECK(std::count(d.probes[0].commits.begin(), d.probes[0].commits.end(), 35) >= 1);
    CHECK(d.probes[0].commits.size() >= 2);
}

TEST_CASE("The same facts give the same decision", "[bisect][search]") {
    World world(70, {slower_at(20), slower_at(50)}, 3);
    world.confirm(4);
    const Facts facts = world.facts();
    CHECK(same(next(world.problem, facts), next(world.problem, facts)));
}

TEST_CASE("A day of one commit is verified, not guessed", "[bisect][search]") {
    World world(1, {slower_at(1)}, 4);
    world.confirm(6);
    const Decision d = world.play();
    REQUIRE(d.done);
    CHECK(d.endings[0].ending == Ending::culprit);
    CHECK(d.endings[0].first == 1);
    CHECK(d.endings[0].parent == 0);
    CHECK(world.builds() == 0);
    REQUIRE_FALSE(world.asked().empty());
    CHECK(world.asked().back().purpose == ProbePurpose::verify);
}

TEST_CASE("A culprit carries figures from verification's own runs", "[bisect][search]") {
    World world(70, {slower_at(33)}, 5);
    world.confirm(6);
    const Decision d = world.play();
    const SeriesEnding& e = d.endings[0];
    REQUIRE(e.ending == Ending::culprit);
    CHECK(e.first == 33);
    CHECK(e.last == 33);
    CHECK(e.parent == 32);
    CHECK(e.probability >= 0.98);
    int verifying = 0;
    for (const ProbeRequest& probe : world.asked()) {
        if (probe.purpose != ProbePurpose::verify) continue;
        verifying += static_cast<int>(std::count(probe.commits.begin(), probe.commits.end(), 33));
    }
    CHECK(e.verified.runs_after == verifying);
    CHECK(e.verified.low < e.verified.change_ratio);
    CHECK(e.verified.change_ratio == Approx(0.25).margin(0.05));
    CHECK(e.verified.finding == Finding::worse);
    CHECK(e.verified.after > e.verified.before);
}

TEST_CASE("Where higher is better the culprit is where the value falls", "[bisect][search]") {
    SeriesTruth truth = slower_at(41);
    truth.direction = Direction::higher_is_better;
    World world(70, {truth}, 6);
    world.confirm(6);
    const Decision d = world.play();
    CHECK(d.endings[0].ending == Ending::culprit);
    CHECK(d.endings[0].first == 41);
    CHECK(d.endings[0].verified.after < d.endings[0].verified.before);
    CHECK(d.endings[0].verified.change_ratio > 0.15);
}

TEST_CASE("Equal products hold no culprit and share their observations", "[bisect][search]") {
    World world(70, {slower_at(36)}, 7);
    for (int c = 2; c <= 70; ++c) {
        if (c != 36 && c != 20 && c != 50) world.unchanged.insert(c);
    }
    world.confirm(6);
    const Decision d = world.play();
    REQUIRE(d.endings[0].ending == Ending::culprit);
    CHECK(d.endings[0].first == 36);
    CHECK(d.endings[0].parent == 35);
    CHECK(world.builds() <= 8);
}

TEST_CASE("Ends of one product are not reproduced without a run", "[bisect][search]") {
    World world(9, {slower_at(100)}, 8);
    for (int c = 1; c <= 9; ++c) world.unchanged.insert(c);
    const Decision d = world.play();
    REQUIRE(d.done);
    CHECK(d.endings[0].ending == Ending::not_reproduced);
    CHECK(world.runs == 0);
}

TEST_CASE("A product that comes back after a revert is no obstacle", "[bisect][search]") {
    World world(9, {slower_at(5)}, 9);
    world.confirm(6);
    Facts facts = world.facts();
    facts.built = {0, 2, 3, 9};
    facts.product = {7, -1, 8, 7, -1, -1, -1, -1, -1, 9};
    const Decision d = next(world.problem, facts);
    CHECK_FALSE(d.done);
    CHECK(d.posterior[0][1] > 0);
}

TEST_CASE("A commit that fails to build once by accident is tried again", "[bisect][search]") {
    World world(70, {slower_at(35)}, 10);
    world.flaky = {34, 35};
    world.confirm(6);
    const Decision d = world.play();
    CHECK(d.endings[0].first <= 35);
    CHECK(d.endings[0].last >= 35);
    World lone(70, {slower_at(35)}, 11);
    lone.flaky = {35};
    lone.confirm(6);
    const Decision named = lone.play();
    CHECK(named.endings[0].ending == Ending::culprit);
    CHECK(named.endings[0].first == 35);
}

TEST_CASE("A culprit that crashes is a range with its successor", "[bisect][search]") {
    World world(70, {slower_at(35)}, 12);
    world.crashing = {35};
    world.confirm(6);
    const Decision d = world.play();
    REQUIRE(d.done);
    CHECK(d.endings[0].ending == Ending::range);
    CHECK(d.endings[0].first == 35);
    CHECK(d.endings[0].last == 36);
    CHECK(d.endings[0].verified.runs_after > 0);
    CHECK(d.endings[0].reason.find("cannot be built or run") != std::string::npos);
}

TEST_CASE("A range names exactly the commits that cannot be built", "[bisect][search]") {
    World world(8, {slower_at(8)}, 21);
    world.unchanged = {1, 2, 3, 4, 5, 6};
    world.broken = {7};
    world.confirm(6);
    const Decision d = world.play();
    REQUIRE(d.endings[0].ending == Ending::range);
    CHECK(d.endings[0].first == 7);
    CHECK(d.endings[0].last == 8);
    const std::string& reason = d.endings[0].reason;
    CAPTURE(reason);
    CHECK(
        reason.find("told apart: commit 7 cannot be built or run; commits 6 and 8 were") !=
        std::string::npos);
}

TEST_CASE("No commit is said to be broken that is not", "[bisect][search]") {
    const auto seed = GENERATE(range(1u, 25u));
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> any(1, 29);
    const int culprit = any(random);
    World world(30, {slower_at(culprit)}, seed);
    for (int c = std::max(1, culprit - 2); c <= culprit; ++c) world.broken.insert(c);
    for (int i = 0; i < 6; ++i) world.unchanged.insert(any(random));
    world.unchanged.erase(culprit);
    for (int i = 0; i < 3; ++i) world.crashing.insert(any(random));
    world.confirm(6);
    const Decision d = world.play();
    REQUIRE(d.done);
    const std::string reason = d.endings[0].reason;
    CAPTURE(reason);
    const auto end = reason.find(" cannot be built or run");
    if (end == std::string::npos) return;
    const auto begin = reason.rfind("commit", end);
    std::istringstream words(reason.substr(begin, end - begin));
    std::string word;
    int from = 0;
    bool to = false;
    while (words >> word) {
        if (word == "to") to = true;
        if (word.find_first_of("0123456789") != 0) continue;
        const int commit = std::stoi(word);
        for (int c = to ? from : commit; c <= commit; ++c) {
            CHECK((world.broken.count(c) > 0 || world.crashing.count(c) > 0));
        }
        from = commit;
        to = false;
    }
}

TEST_CASE("When nothing between the ends builds, the range is the whole day", "[bisect][search]") {
    World world(20, {slower_at(7)}, 13);
    for (int c = 1; c < 20; ++c) world.broken.insert(c);
    world.confirm(6);
    const Decision d = world.play();
    REQUIRE(d.done);
    CHECK(d.endings[0].ending == Ending::range);
    CHECK(d.endings[0].first == 1);
    CHECK(d.endings[0].last == 20);
    CHECK(world.builds() <= 20);
}

TEST_CASE("The budget ends the search with the range so far", "[bisect][search]") {
    World world(70, {slower_at(35)}, 14);
    world.problem.budget.max_builds = 3;
    world.confirm(6);
    const Decision builds = world.play();
    REQUIRE(builds.done);
    CHECK(builds.endings[0].ending == Ending::range);
    CHECK(builds.endings[0].first <= 35);
    CHECK(builds.endings[0].last >= 35);
    CHECK(builds.endings[0].reason.find("builds are spent") != std::string::npos);
    CHECK(world.builds() == 3);

    World few(70, {slower_at(35)}, 15);
    few.problem.budget.max_probes = 2;
    few.confirm(6);
    const Decision probes = few.play();
    REQUIRE(probes.done);
    CHECK(few.asked().size() == 2);
    CHECK(probes.endings[0].reason.find("probes are spent") != std::string::npos);
}

TEST_CASE("No more probes are asked for than workers can run", "[bisect][search]") {
    World world(70, {slower_at(20), slower_at(50)}, 16);
    world.problem.workers = 2;
    world.confirm(6);
    Facts facts = world.facts();
    const Decision first = next(world.problem, facts);
    REQUIRE(first.probes.size() >= 1);
    CHECK(first.probes.size() <= 2);
    for (const ProbeRequest& probe : first.probes) {
        facts.open_probes.push_back(static_cast<int>(facts.asked.size()));
        facts.asked.push_back(probe);
    }
    const Decision second = next(world.problem, facts);
    CHECK_FALSE(second.done);
    CHECK(first.probes.size() + second.probes.size() <= 2);
}

TEST_CASE("In a hurry more workers look into more parts at once", "[bisect][search]") {
    const auto asked_at_once = [](int workers, bool hurries = true) {
        World world(70, {slower_at(20)}, 16);
        world.problem.workers = workers;
        world.problem.hurries = hurries;
        world.confirm(6);
        return next(world.problem, world.facts()).probes.size();
    };
    CHECK(asked_at_once(1) == 1);
    CHECK(asked_at_once(2) == 1);
    CHECK(asked_at_once(4) == 3);  // the middle, and that of each half
    CHECK(asked_at_once(4, false) == 1);
}

TEST_CASE("Metadata steers the search but cannot hide a culprit", "[bisect][search]") {
    World world(70, {slower_at(35)}, 17);
    world.problem.weights.assign(70, 0.0);
    world.problem.weights[9] = 1;
    world.confirm(6);
    const Decision d = world.play();
    CHECK(d.endings[0].first == 35);
    CHECK(d.endings[0].last == 35);
}

TEST_CASE("A culprit among a thousand commits is named", "[bisect][search]") {
    World world(1000, {slower_at(777)}, 18);
    world.confirm(6);
    const Decision d = world.play();
    CHECK(d.endings[0].first == 777);
    CHECK(d.endings[0].last == 777);
}

TEST_CASE("A variant that no longer runs is searched like a number", "[bisect][search]") {
    World world(70, {slower_at(35, 1.0)}, 19);
    Problem problem = world.problem;
    problem.series[0].kind = MetricKind::other;
    Facts facts;
    const auto run = [](int probe, ProbePurpose purpose, int commit) {
        return Observation{probe, purpose, commit, 0, commit >= 52 ? 2.0 : 1.0};
    };
    for (const int commit : {0, 70, 70, 0}) {
        facts.observations.push_back(run(-1, ProbePurpose::search, commit));
    }
    facts.built = {0, 70};
    Decision d;
    for (int step = 0; step < 40; ++step) {
        d = next(problem, facts);
        if (d.done) break;
        for (const ProbeRequest& probe : d.probes) {
            const auto number = static_cast<int>(facts.asked.size());
            facts.asked.push_back(probe);
            for (const int commit : probe.commits) {
                facts.observations.push_back(run(number, probe.purpose, commit));
                facts.built.push_back(commit);
            }
        }
    }
    REQUIRE(d.done);
    CHECK(d.endings[0].ending == Ending::culprit);
    CHECK(d.endings[0].first == 52);
}

TEST_CASE("Inconsistent problems and facts are refused by name", "[bisect][search]") {
    World world(10, {slower_at(5)}, 20);
    const auto refuses = [](const Problem& p, const Facts& f) {
        try {
            next(p, f);
        } catch (const Error& error) {
            return error.code() == Errc::invalid_argument;
        }
        return false;
    };
    Problem problem = world.problem;
    problem.suspects = 0;
    CHECK(refuses(problem, {}));
    problem = world.problem;
    problem.series.clear();
    CHECK(refuses(problem, {}));
    problem = world.problem;
    problem.weights = {1, 2};
    CHECK(refuses(problem, {}));
    Facts facts;
    facts.observations = {{0, ProbePurpose::search, 11, 0, 1.0}};
    CHECK(refuses(world.problem, facts));
    facts.observations = {{0, ProbePurpose::search, 1, 1, 1.0}};
    CHECK(refuses(world.problem, facts));
    facts.observations = {{0, ProbePurpose::search, 1, 0, -1.0}};
    CHECK(refuses(world.problem, facts));
    facts.observations.clear();
    facts.open_probes = {0};
    CHECK(refuses(world.problem, facts));
}
