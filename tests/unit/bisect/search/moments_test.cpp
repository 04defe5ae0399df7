// A machine that others use: moments differ by far more than runs.

#include <cmath>
#include <numbers>

#include <catch2/catch.hpp>

#include "bisect/search/posterior.hpp"
#include "bisect/search/side_by_side.hpp"
#include "tests/unit/bisect/search/world.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

double normal(double x, double variance) {
    return std::exp(-0.5 * x * x / variance) / std::sqrt(2 * std::numbers::pi * variance);
}

/// Ends, and a commit each side of the middle, all in sessions of 15 %; 10 and 11 differ by
/// `change` where they ran together.
SeriesEvidence evidence_of(double change) {
    SeriesEvidence evidence;
    evidence.noise = 0.02;
    evidence.tau = std::log(1.07);
    evidence.least = 0.5 * evidence.tau;
    evidence.expected = 0.1;
    int session = 0;
    const auto run = [&](std::vector<std::pair<int, double>> values, ProbePurpose purpose) {
        const double met = 0.15 * std::sin(1.7 * ++session);
        for (const auto& [place, z] : values) {
            evidence.runs.push_back({place, session, purpose, z + met, 0, 0, session});
        }
    };
    for (const double noise : {0.01, -0.015, 0.005}) {
        run({{0, noise}, {20, 0.1 - noise}}, ProbePurpose::search);
        run({{0, -noise}, {10, noise}}, ProbePurpose::search);
        run({{20, 0.1 + noise}, {11, 0.05}}, ProbePurpose::search);
    }
    for (const double noise : {0.01, -0.015}) {
        run({{10, noise}, {11, change + noise}, {11, change}, {10, noise}}, ProbePurpose::verify);
    }
    estimate_offsets(evidence, 0, 20);
    return evidence;
}

double changed_between(const SeriesEvidence& evidence) {
    Problem problem;
    problem.suspects = 20;
    problem.series = {{.expected_ratio = 0.1}};
    const Facts facts;
    return Posterior(evidence, Line(problem, facts), MetricKind::time).changed(1);
}

}  // namespace

TEST_CASE("Commits that ran together tell of a change between them", "[bisect][search]") {
    const auto pairs = side_by_side(evidence_of(0.1), {0, 10, 11, 20});
    CHECK(pairs[0].share == 0);
    CHECK(pairs[1].change == Approx(0.1).margin(0.01));
    CHECK(pairs[1].share > 0.9);
    CHECK(pairs[2].share == 0);
    // By their levels alone it would be the same for both.
    CHECK(changed_between(evidence_of(0.1)) > 0.95);
    CHECK(changed_between(evidence_of(0.0)) < 0.1);
}

TEST_CASE("What other runs show of two builds' layouts is no news", "[bisect][search]") {
    const double layout = 4e-4;
    for (const double unsure : {1e-6, 1e-4, 1e-2}) {
        for (const double change : {0.0, 0.04, 0.1}) {
            CAPTURE(unsure, change);
            const SideBySide both{0.09, 1e-4, 0.07, unsure, 1};
            // Both observations are of the change plus one difference of layouts.
            const double of_both = 2 * layout;
            const double a = of_both + both.variance, b = of_both + unsure;
            const double given = of_both / b;  // how the one predicts the other
            const double expected = change + given * (both.apart - change);
            const double density = normal(both.change - expected, a - given * of_both);
            const auto seen = both.seen(layout);
            CHECK(seen.scale * normal(seen.change - change, seen.variance) == Approx(density));
        }
    }
}

TEST_CASE("A share of what two builds show is a share of its evidence", "[bisect][search]") {
    SideBySide both{0.09, 1e-4, 0, 1e3, 1};
    const auto whole = both.seen(1e-4);
    both.share = 0.3;
    const auto part = both.seen(1e-4);
    for (const double change : {0.0, 0.05, 0.1}) {
        const double all = whole.scale * normal(whole.change - change, whole.variance);
        const double some = part.scale * normal(part.change - change, part.variance);
        CHECK(some == Approx(std::pow(all, 0.3)));
    }
}

TEST_CASE("Moments that differ cost few runs", "[bisect][search]") {
    int runs = 0;
    int named = 0;
    std::size_t longest = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const int culprit = 5 + static_cast<int>(seed);
        const double offset = seed % 2 == 0 ? 0.15 : 0.4;
        World world(
            70,
            {{.changes = {{culprit, 0.2}}, .noise = 0.025, .session_offset = offset}},
            7000 + seed);
        world.problem.series[0].noise = 0;  // no night is known
        const Decision decision = world.play();
        const SeriesEnding& ending = decision.endings[0];
        named += ending.ending == Ending::culprit && ending.last == culprit;
        runs += world.runs;
        for (const ProbeRequest& asked : world.asked()) {
            const bool of_ends = asked.commits.front() % 70 == 0 && asked.commits.back() % 70 == 0;
            const bool searches = asked.purpose == ProbePurpose::search && !of_ends;
            if (searches) longest = std::max(longest, asked.commits.size());
        }
    }
    CAPTURE(runs / 40.0, longest);
    CHECK(named >= 39);
    CHECK(runs <= 40 * 36);
    CHECK(longest <= 3);  // further runs beside one control share its error
}
