#include <cmath>
#include <map>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "bisect/detect/session.hpp"

using namespace vigil;
using namespace vigil::detect;

namespace {

constexpr int many = 300;

struct Case {
    double noise = 0.01;
    double effect = 0;  // log
};

/// Plays one case of `rules.cases` until it is decided.
SessionJudgement play(const SessionRules& rules, const Case& one, std::mt19937_64& random) {
    std::normal_distribution<double> normal(0, 1);
    std::vector<SessionRun> runs;
    for (int block = 0;; ++block) {
        for (const Side side : block_order(block)) {
            const double effect = side == Side::b ? one.effect : 0;
            runs.push_back({side, block, 1e6 * std::exp(effect + one.noise * normal(random))});
        }
        const auto judgement = judge_session(runs, rules);
        if (judgement.decided) return judgement;
    }
}

SessionRules rules_of(int cases) {
    SessionRules rules;
    rules.cases = cases;
    return rules;
}

/// Each side prints one number, block after block.
SessionJudgement after_blocks(int blocks, double a, double b, const SessionRules& rules) {
    std::vector<SessionRun> runs;
    for (int block = 0; block < blocks; ++block) {
        for (const Side side : block_order(block)) {
            runs.push_back({side, block, side == Side::a ? a : b});
        }
    }
    return judge_session(runs, rules);
}

}  // namespace

TEST_CASE("Of 300 unchanged cases none is called in twenty comparisons", "[bisect][detect]") {
    const unsigned seed = 31;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::map<Verdict, int> verdicts;
    for (int i = 0; i < 20 * many; ++i) {
        const double noise = 0.01 + 0.02 * (i % many) / many;
        ++verdicts[play(rules_of(many), {.noise = noise}, random).verdict];
    }
    CHECK(verdicts[Verdict::regression] == 0);
    CHECK(verdicts[Verdict::improvement] == 0);
    CHECK(verdicts[Verdict::drift] == 0);
}

TEST_CASE("Ten percent in one of 300 cases is found", "[bisect][detect]") {
    const unsigned seed = 32;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::map<Verdict, int> quiet, wide;
    for (int i = 0; i < 200; ++i) {
        ++quiet[play(rules_of(many), {.noise = 0.01, .effect = std::log(1.1)}, random).verdict];
        ++wide[play(rules_of(many), {.noise = 0.02, .effect = std::log(1.1)}, random).verdict];
    }
    CHECK(quiet[Verdict::regression] == 200);
    CHECK(wide[Verdict::regression] >= 190);
    CHECK(wide[Verdict::noise] <= 2);
}

TEST_CASE("A claim of one of many cases needs more blocks, of one case none", "[bisect][detect]") {
    CHECK(blocks_for_cases(1) == 0);
    CHECK(blocks_for_cases(2) == 1);
    CHECK(blocks_for_cases(16) == 1);
    CHECK(blocks_for_cases(300) == 3);
    CHECK(blocks_for_cases(5000) == 4);
    CHECK(after_blocks(2, 1000, 1150, rules_of(1)).verdict == Verdict::regression);
    CHECK_FALSE(after_blocks(4, 1000, 1150, rules_of(many)).decided);
    CHECK(after_blocks(6, 1000, 1150, rules_of(many)).verdict == Verdict::regression);
    CHECK(after_blocks(1, 1000, 1000, rules_of(many)).verdict == Verdict::noise);
    // Where fewer blocks are allowed, the last one decides.
    auto short_of = rules_of(many);
    short_of.max_blocks = 3;
    CHECK(after_blocks(3, 1000, 1150, short_of).verdict == Verdict::regression);
    CHECK_THROWS(after_blocks(1, 1000, 1150, rules_of(0)));
}

TEST_CASE("Counts and memory of many cases are seen in more blocks too", "[bisect][detect]") {
    for (const auto kind : {MetricKind::memory, MetricKind::other}) {
        auto rules = rules_of(1);
        rules.kind = kind;
        const double from = kind == MetricKind::memory ? 4096 : 0;
        CHECK(after_blocks(1, from, 8192, rules).verdict == Verdict::regression);
        rules.cases = many;
        CHECK_FALSE(after_blocks(3, from, 8192, rules).decided);
        CHECK(after_blocks(4, from, 8192, rules).verdict == Verdict::regression);
        CHECK(after_blocks(1, from, from, rules).verdict == Verdict::noise);
    }
}
