#include "bisect/detect/session.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::detect;

namespace {

using Draw = std::function<double(Side, int block)>;

struct Played {
    SessionJudgement judgement;
    std::size_t runs = 0;
};

Played play(const SessionRules& rules, const Draw& draw) {
    std::vector<SessionRun> runs;
    for (int block = 0; block < 100; ++block) {
        for (const Side side : block_order(block)) {
            runs.push_back({side, block, draw(side, block)});
        }
        const auto judgement = judge_session(runs, rules);
        if (judgement.decided) return {judgement, runs.size()};
    }
    FAIL("a session without an end");
    return {};
}

struct World {
    double effect = 0;  // log
    double noise = 0.01;
    double outliers = 0;
    double known = 0.01;
    Direction direction = Direction::lower_is_better;
};

struct Tally {
    std::map<Verdict, int> verdicts;
    std::size_t runs = 0;
    int covered = 0;
};

Tally tally(const World& world, int sessions, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 1);
    std::uniform_real_distribution<double> uniform(0, 1);
    Tally t;
    SessionRules rules;
    rules.run_noise = world.known;
    rules.direction = world.direction;
    const double sign = world.direction == Direction::lower_is_better ? 1 : -1;
    for (int i = 0; i < sessions; ++i) {
        const auto played = play(rules, [&](Side side, int) {
            double z = world.noise * normal(random) + (side == Side::b ? world.effect : 0);
            if (uniform(random) < world.outliers) z += 0.3;
            return 1e6 * std::exp(sign * z);
        });
        ++t.verdicts[played.judgement.verdict];
        t.runs += played.runs;
        const double truth = std::expm1(world.effect);
        const auto& c = played.judgement.comparison;
        t.covered += c.low <= truth && truth <= c.high;
    }
    return t;
}

}  // namespace

TEST_CASE("Without runs of both sides nothing is decided", "[bisect][detect]") {
    CHECK_FALSE(judge_session({}, {}).decided);
    const std::vector<SessionRun> one{{Side::a, 0, 5.0}};
    CHECK_FALSE(judge_session(one, {}).decided);
}

TEST_CASE("Blocks take turns so that a drift cancels", "[bisect][detect]") {
    const auto even = block_order(0);
    const auto odd = block_order(1);
    REQUIRE(even.size() == 4);
    CHECK(even[0] == Side::a);
    CHECK(even[1] == Side::b);
    CHECK(odd[0] == Side::b);
    CHECK(odd[3] == Side::b);
}

TEST_CASE("Equal builds are closed as noise after one block", "[bisect][detect]") {
    const unsigned seed = 11;
    CAPTURE(seed);
    const auto t = tally({.effect = 0}, 500, seed);
    CHECK(t.verdicts.at(Verdict::noise) == 500);
    CHECK(t.runs < 500 * 5);
}

TEST_CASE("A change of ten percent is a regression within few blocks", "[bisect][detect]") {
    const unsigned seed = 12;
    CAPTURE(seed);
    const auto t = tally({.effect = std::log(1.10)}, 500, seed);
    CHECK(t.verdicts.at(Verdict::regression) >= 495);
    CHECK(t.runs < 500 * 14);
}

TEST_CASE("A large clean step needs two blocks", "[bisect][detect]") {
    const unsigned seed = 13;
    CAPTURE(seed);
    const auto t = tally({.effect = std::log(1.25), .noise = 0.015, .known = 0}, 300, seed);
    CHECK(t.verdicts.at(Verdict::regression) == 300);
    CHECK(t.runs <= 300 * 9);
}

TEST_CASE("A real change below the threshold is never filed", "[bisect][detect]") {
    const unsigned seed = 14;
    CAPTURE(seed);
    const auto five = tally({.effect = std::log(1.05), .noise = 0.005, .known = 0.005}, 400, seed);
    CHECK(five.verdicts.count(Verdict::regression) == 0);
    const auto six = tally({.effect = std::log(1.06), .noise = 0.002, .known = 0.002}, 400, seed);
    CHECK(six.verdicts.count(Verdict::regression) == 0);
    CHECK(six.verdicts.at(Verdict::drift) >= 360);
}

TEST_CASE("Outliers do not make a regression of equal builds", "[bisect][detect]") {
    const unsigned seed = 15;
    CAPTURE(seed);
    const auto t = tally({.effect = 0, .outliers = 0.05}, 1000, seed);
    CHECK(t.verdicts.count(Verdict::regression) == 0);
    CHECK(t.verdicts.count(Verdict::improvement) == 0);
    const auto real = tally({.effect = std::log(1.12), .outliers = 0.05}, 500, seed);
    CHECK(real.verdicts.at(Verdict::regression) >= 480);
}

TEST_CASE("An improvement is the mirror of a regression", "[bisect][detect]") {
    const unsigned seed = 16;
    CAPTURE(seed);
    const auto t = tally({.effect = -std::log(1.12)}, 300, seed);
    CHECK(t.verdicts.at(Verdict::improvement) >= 297);
    const World turned{.effect = std::log(1.12), .direction = Direction::higher_is_better};
    CHECK(tally(turned, 300, seed).verdicts.at(Verdict::regression) >= 297);
}

TEST_CASE("Nine of ten intervals hold the truth", "[bisect][detect]") {
    const unsigned seed = 17;
    CAPTURE(seed);
    const auto t = tally({.effect = std::log(1.10), .noise = 0.02, .known = 0.02}, 600, seed);
    CHECK(t.covered >= 600 * 86 / 100);
}

TEST_CASE(
    "Noise as large as the threshold ends at the cap, undecided or right", "[bisect][detect]") {
    const unsigned seed = 18;
    CAPTURE(seed);
    const auto t = tally({.effect = 0, .noise = 0.10, .known = 0.10}, 300, seed);
    CHECK(t.verdicts.count(Verdict::regression) == 0);
    CHECK(t.verdicts.count(Verdict::drift) == 0);
    CHECK(t.runs <= 300 * 48);
}

TEST_CASE("A drift between blocks does not hide a change", "[bisect][detect]") {
    SessionRules rules;
    rules.run_noise = 0.005;
    std::mt19937_64 random(19);
    std::normal_distribution<double> noise(0, 0.004);
    const auto played = play(rules, [&](Side side, int block) {
        return std::exp(noise(random) + 0.05 * block + (side == Side::b ? 0.11 : 0));
    });
    CHECK(played.judgement.verdict == Verdict::regression);
    CHECK(played.judgement.comparison.change_ratio == Approx(0.116).margin(0.02));
    CHECK(played.runs <= 16);
}

TEST_CASE("Deterministic memory is compared exactly after one block", "[bisect][detect]") {
    SessionRules rules;
    rules.kind = MetricKind::memory;
    const auto judge = [&](double before, double after) {
        return play(rules, [&](Side side, int) { return side == Side::a ? before : after; });
    };
    CHECK(judge(1'000'000'000, 1'070'000'000).judgement.verdict == Verdict::drift);
    CHECK(judge(1'000'000'000, 1'070'000'001).judgement.verdict == Verdict::regression);
    CHECK(judge(1'070'000'001, 1'000'000'000).judgement.verdict == Verdict::improvement);
    CHECK(judge(1'000'000'000, 1'000'000'000).judgement.verdict == Verdict::noise);
    const auto one = judge(100, 125);
    CHECK(one.runs == 4);
    CHECK(one.judgement.comparison.change_ratio == Approx(0.25));
    CHECK(one.judgement.comparison.above == 1);
    CHECK(one.judgement.comparison.low < 0.25);
    CHECK(one.judgement.comparison.high < 0.27);
    CHECK(one.judgement.comparison.runs_after == 2);
}

TEST_CASE("A count that hardly varies tells a change of .3 %", "[bisect][detect]") {
    SessionRules rules;
    rules.threshold = 0.002;
    rules.run_noise = 1e-5;
    std::mt19937_64 random(22);
    std::normal_distribution<double> noise(0, 1e-5);
    const auto verdict = [&](MetricKind kind, double change) {
        rules.kind = kind;
        const auto played = play(rules, [&](Side side, int) {
            return std::round(1e8 * std::exp(noise(random) + (side == Side::b ? change : 0)));
        });
        CHECK(played.runs <= 32);
        return played.judgement.verdict;
    };
    for (int i = 0; i < 100; ++i) {
        CHECK(verdict(MetricKind::count, 0.003) == Verdict::regression);
        CHECK(verdict(MetricKind::count, 0) == Verdict::noise);
    }
    CHECK(verdict(MetricKind::time, 0.003) != Verdict::regression);  // layout may do that
}

TEST_CASE("Memory that varies is judged like any noisy number", "[bisect][detect]") {
    SessionRules rules;
    rules.kind = MetricKind::memory;
    std::mt19937_64 random(20);
    std::normal_distribution<double> noise(0, 0.004);
    const auto played = play(rules, [&](Side side, int) {
        return std::round(3e8 * std::exp(noise(random) + (side == Side::b ? 0.15 : 0)));
    });
    CHECK(played.judgement.verdict == Verdict::regression);
    CHECK(played.runs <= 12);
}

TEST_CASE("A session with a value that is not above 0 is refused", "[bisect][detect]") {
    const std::vector<SessionRun> runs{{Side::a, 0, 5.0}, {Side::b, 0, 0.0}};
    CHECK_THROWS_AS(judge_session(runs, {}), Error);
}

TEST_CASE("What an earlier session saw counts where tonight agrees with it", "[bisect][detect]") {
    const double tonight = std::log(1.072);
    const auto judged = [&](const std::optional<SessionEvidence>& told) {
        SessionRules rules;
        rules.run_noise = 0.01;
        rules.told = told;
        std::vector<SessionRun> runs;
        for (int block = 0; block < 3; ++block) {
            for (const Side side : block_order(block)) {
                const double off = (block - 1) * 0.01;
                runs.push_back({side, block, std::exp(off + (side == Side::b ? tonight : 0))});
            }
        }
        return judge_session(runs, rules).comparison;
    };
    const auto alone = judged({});
    const double variance = 2e-5;
    const auto again = judged(SessionEvidence{std::log(1.066), variance, 30, 1});
    CHECK(again.change_ratio < alone.change_ratio);
    CHECK(again.above < alone.above);
    CHECK(again.high - again.low < alone.high - alone.low);
    // A night that saw nothing, and a change of another size, are about something else.
    for (const double other : {0.0, 0.01, std::log(1.04), std::log(1.15)}) {
        CHECK(judged(SessionEvidence{other, variance, 30, 1}).change_ratio == alone.change_ratio);
    }
    CHECK(judged(SessionEvidence{std::log(1.066), 0, 30, 1}).change_ratio == alone.change_ratio);
}

TEST_CASE("Two blocks tell nothing where runs could have two such modes", "[bisect][detect]") {
    const auto after_two_blocks = [](double known, double of_second) {
        SessionRules rules;
        rules.run_noise = known;
        std::vector<SessionRun> runs;
        for (int block = 0; block < 2; ++block) {
            for (const Side side : block_order(block)) {
                runs.push_back({side, block, side == Side::b ? of_second : 1.0});
            }
        }
        return judge_session(runs, rules);
    };
    CHECK(after_two_blocks(0.01, 1.15).verdict == Verdict::regression);
    CHECK(after_two_blocks(0.01, 1 / 1.15).verdict == Verdict::improvement);
    // A night of three runs whose modes lie 9 % apart has a spread of 4 %.
    CHECK_FALSE(after_two_blocks(0.04, 1.15).decided);
    CHECK_FALSE(after_two_blocks(0.04, 1 / 1.15).decided);
}

TEST_CASE("A session that scatters is seen a second time, whatever the nights were", "[bisect]") {
    const unsigned seed = 21;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 1);
    const auto sessions = [&](double noise) {
        std::map<int, int> filed;  // [session]
        for (int i = 0; i < 100; ++i) {
            SessionRules rules;
            rules.run_noise = 0.02;
            const auto played = play(rules, [&](Side side, int) {
                return std::exp(noise * normal(random) + (side == Side::b ? std::log(1.25) : 0));
            });
            if (played.judgement.verdict == Verdict::regression) ++filed[played.judgement.session];
        }
        return filed;
    };
    const auto quiet = sessions(0.02);
    CHECK(quiet.at(1) == 100);
    const auto wide = sessions(0.08);
    CHECK(wide.at(2) >= 70);  // the others happened to look quiet
}
