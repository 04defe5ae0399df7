#include "bisect/search/modes.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "bisect/search/evidence.hpp"
#include "bisect/search/posterior.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

struct Law {
    double noise = 0.01;
    double gap = 0;
    double share = 0;
};

/// Runs of places at levels of their own.
std::vector<Run> runs_of(const Law& law, int places, int runs, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::vector<Run> made;
    for (int place = 0; place < places; ++place) {
        for (int i = 0; i < runs; ++i) {
            const double mode = uniform(random) < law.share ? law.gap : 0;
            made.push_back(
                {place, 0, ProbePurpose::search, 0.1 * place + mode + law.noise * normal(random)});
        }
    }
    return made;
}

}  // namespace

TEST_CASE("Two modes are found with their gap, share and noise", "[bisect][search]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Modes modes = find_modes(runs_of({0.01, 0.08, 0.3}, 4, 8, seed), 0.03);
        REQUIRE(modes.two());
        CHECK(std::abs(modes.gap - 0.08) < 0.012);
        CHECK(std::abs(modes.share - 0.3) < 0.25);
        CHECK(modes.noise > 0.004);
        CHECK(modes.noise < 0.016);
        CHECK(upper_share(modes, 0.08) > 0.9);
        CHECK(upper_share(modes, 0) < 0.1);
    }
}

TEST_CASE("Runs around one value have one mode", "[bisect][search]") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        CHECK_FALSE(find_modes(runs_of({0.02}, 6, 4, seed), 0.02).two());
    }
}

TEST_CASE("Moments that differ are no modes", "[bisect][search]") {
    // Sessions of a commit and an end, as on a machine that others use.
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        std::vector<Run> runs;
        for (int session = 0; session < 10; ++session) {
            const double met = 0.15 * normal(random);
            for (const int place : {session % 2 == 0 ? 0 : 70, 10 + session / 2}) {
                const double level = place < 12 ? 0 : 0.1;
                const double z = level + met + 0.025 * normal(random);
                runs.push_back({place, session, ProbePurpose::search, z});
            }
        }
        CHECK_FALSE(find_modes(runs, 0.025).two());
    }
}

TEST_CASE("Modes are found in sessions of a few runs too", "[bisect][search]") {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        auto runs = runs_of({0.01, 0.08, 0.4}, 6, 6, seed);
        for (std::size_t i = 0; i < runs.size(); ++i) runs[i].session = static_cast<int>(i) / 2;
        found += find_modes(runs, 0.03).two();
    }
    CHECK(found >= 45);
}

TEST_CASE("A few runs cannot tell one mode from two", "[bisect][search]") {
    CHECK_FALSE(find_modes({}, 0.01).two());
    CHECK_FALSE(find_modes(runs_of({0.01, 0.08, 0.5}, 8, 1, 1), 0.03).two());
    CHECK_FALSE(find_modes(runs_of({0.01, 0.08, 0.5}, 2, 2, 1), 0.03).two());
}

TEST_CASE("The other mode tells a slow build from a build that was unlucky", "[bisect][search]") {
    Problem problem;
    problem.suspects = 4;
    problem.series = {{.expected_ratio = 0.1, .noise = 0.03}};
    const Facts facts;
    const Line line(problem, facts);
    SeriesEvidence evidence;
    evidence.noise = 0.03;
    evidence.tau = std::log(1.07);
    evidence.least = 0.5 * evidence.tau;
    evidence.expected = 0.1;
    // The bad end is 0.1 above; commit 2 has drawn the upper mode three times.
    for (int i = 0; i < 10; ++i) {
        const double mode = i % 2 == 0 ? 0.1 : 0;
        const double noise = 0.004 * (i % 5 - 2);
        evidence.runs.push_back({0, 0, ProbePurpose::search, mode + noise});
        evidence.runs.push_back({4, 0, ProbePurpose::search, 0.1 + mode - noise});
    }
    for (const double z : {0.098, 0.1, 0.103}) {
        evidence.runs.push_back({2, 1, ProbePurpose::search, z});
    }
    evidence.modes = find_modes(evidence.runs, evidence.noise);
    REQUIRE(evidence.modes.two());
    const auto changed_with = [&](double further) {
        SeriesEvidence more = evidence;
        more.runs.push_back({2, 1, ProbePurpose::search, further});
        return Posterior(more, line, MetricKind::time).changed(0);
    };
    const double unsure = Posterior(evidence, line, MetricKind::time).changed(0);
    CHECK(unsure > 0.2);
    CHECK(unsure < 0.8);
    // One run of the other mode says which of the two the others were.
    CHECK(changed_with(0.002) < 0.05);
    CHECK(changed_with(0.199) > 0.95);
}
