// Wall time on a machine that others use.

#include <cmath>

#include <catch2/catch.hpp>

#include "bisect/search/driver.hpp"
#include "bisect/search/interference.hpp"
#include "bisect/search/rules.hpp"
#include "bisect/search/verify.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

struct Probe {
    std::vector<int> commits;
    std::vector<double> values;  ///< ms
    ProbePurpose purpose = ProbePurpose::search;
};

/// A real search on a loaded machine, of 22 commits; commit 1 does what its parent does.
const std::vector<Probe> innocent{
    {{0, 22, 22, 0}, {145.9, 172.6, 191.5, 135.1}},
    {{0, 11}, {168.1, 203.9}},
    {{22, 5}, {230.7, 221.4}},
    {{0, 2}, {132.0, 258.7}},
    {{22, 1}, {307.8, 222.7}},
    {{0, 1}, {144.4, 237.0}},
    {{1, 0, 0, 1}, {196.5, 133.3, 146.1, 240.8}, ProbePurpose::verify},
    {{1, 0, 0, 1}, {214.9, 222.0, 133.3, 191.7}, ProbePurpose::verify},
};

/// What the search says after these probes.
Decision after(const std::vector<Probe>& probes, double cpu = 0) {
    Problem problem;
    problem.suspects = 22;
    problem.series = {{}};
    problem.series.front().expected_ratio = 0.46;  // what the ends show
    problem.costs.build = 0.57;
    Driver driver(22, {0, 22});
    int number = 0;
    for (const Probe& probe : probes) {
        ProbeRequest request;
        request.purpose = probe.purpose;
        request.commits = probe.commits;
        request.series = {0};
        driver.add(Planned{request});
        for (int i = 0; i < static_cast<int>(probe.commits.size()); ++i) {
            const auto at = static_cast<std::size_t>(i);
            Ran run{number, i, probe.commits[at], 0, probe.values[at]};
            run.busy = cpu / probe.values[at];
            driver.add(Built{run.commit, std::to_string(run.commit)});
            driver.add(run);
        }
        ++number;
    }
    return driver.decide(problem);
}

SeriesEvidence pairs(const std::vector<Probe>& probes) {
    SeriesEvidence evidence;
    evidence.noise = 0.08;
    int session = 0;
    for (const Probe& probe : probes) {
        for (std::size_t i = 0; i < probe.commits.size(); ++i) {
            evidence.runs.push_back(
                {probe.commits[i],
                 session,
                 ProbePurpose::verify,
                 std::log(probe.values[i]),
                 0,
                 0,
                 session});
        }
        ++session;
    }
    return evidence;
}

std::vector<Run> runs_with(const std::vector<std::pair<int, double>>& shares) {
    std::vector<Run> runs;
    for (const auto& [place, share] : shares) {
        runs.push_back({place, 0, ProbePurpose::search, 5.0, 0, 0, 0, share});
    }
    return runs;
}

}  // namespace

TEST_CASE("No commit is named because a contrary run counted as an outlier", "[bisect][search]") {
    for (const double cpu : {0.0, 80.0}) {
        CAPTURE(cpu);
        const Decision decision = after(innocent, cpu);
        CHECK_FALSE(decision.done);
        CHECK(decision.verified.empty());
        REQUIRE(decision.probes.size() == 1);
    }
    // By its values alone it looks slower, so it is measured again.
    const Decision decision = after(innocent);
    CHECK(decision.probes.front().purpose == ProbePurpose::verify);
    CHECK(decision.probes.front().why.find("; repeated: ") != std::string::npos);
    // Where the contrary run is like the others of its commit, it is named.
    auto clear = innocent;
    clear.back().values[1] = 139.0;
    REQUIRE(after(clear).done);
    CHECK(after(clear).endings.front().ending == Ending::culprit);
}

TEST_CASE("A contrary run counts as what it is", "[bisect][search]") {
    const auto contrary = test_pair(pairs({innocent[6], innocent[7]}), 0, 1);
    CHECK(contrary.convincing(0.4, 0.034));  // it weighs little
    CHECK(contrary.chance(0.4) > 0.02);      // and yet it was seen
    CHECK(contrary.chance(-0.4) > 0.9);

    // One run of many that is off does not outweigh the order of the others.
    std::vector<Probe> many(5, {{0, 1, 1, 0}, {100.0, 110.0, 111.0, 101.0}, ProbePurpose::verify});
    many[2].values[3] = 400.0;
    const auto outlier = test_pair(pairs(many), 0, 1);
    CHECK(outlier.plain_change < 0.02);
    CHECK(outlier.chance(0.1) < 0.02);
}

TEST_CASE("How sure a culprit is said to be is no more than was seen", "[bisect][search]") {
    auto clear = innocent;
    clear.back().values[1] = 178.0;  // slow, and yet faster than its child
    const Decision decision = after(clear);
    REQUIRE(decision.done);
    const SeriesEnding& culprit = decision.endings.front();
    REQUIRE(culprit.ending == Ending::culprit);
    const auto test = test_pair(pairs({clear[6], clear[7]}), 0, 1);
    CHECK(culprit.probability < 0.9999);
    CHECK(culprit.probability >= 1 - may_be_chance());
    CHECK(test.chance(0.4) < may_be_chance());
}

TEST_CASE("A run that waited for a processor counts for less", "[bisect][search]") {
    auto runs = runs_with({{0, 0.6}, {0, 0.3}, {1, 0.6}, {1, 0.45}});
    CHECK(weigh_by_share(runs));
    CHECK(runs[0].spread == Approx(runs[2].spread));
    CHECK(runs[0].spread < 1);
    CHECK(runs[3].spread > runs[0].spread);
    CHECK(runs[1].spread > runs[3].spread);
    double information = 0;
    for (const Run& run : runs) information += 1 / (run.spread * run.spread);
    CHECK(information == Approx(4));
}

TEST_CASE("Shares say nothing of a quiet machine, nor of what waits by itself", "[search]") {
    const auto disturbed = [](const std::vector<std::pair<int, double>>& shares) {
        auto runs = runs_with(shares);
        const bool weighed = weigh_by_share(runs);
        for (const Run& run : runs) CHECK((weighed || run.spread == 1));
        return weighed;
    };
    CHECK_FALSE(disturbed({{0, 0.97}, {0, 0.99}, {1, 0.98}, {1, 0.96}}));
    CHECK_FALSE(disturbed({{0, 0.9}, {0, 0.91}, {1, 0.5}, {1, 0.51}}));    // the later one waits
    CHECK_FALSE(disturbed({{0, 0.02}, {0, 0.04}, {1, 0.02}, {1, 0.01}}));  // for a disk
    CHECK_FALSE(disturbed({{0, 3.9}, {0, 2.2}, {1, 3.1}, {1, 1.9}}));      // of several threads
    CHECK_FALSE(disturbed({{0, 0.6}, {0, 0.3}, {1, 0.0}, {1, 0.45}}));     // not known of all
    CHECK_FALSE(disturbed({}));
}
