#include "bisect/detect/zeros.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "bisect/detect/series_answer.hpp"
#include "bisect/detect/series_loop.hpp"

using namespace vigil;
using namespace vigil::detect;

namespace {

SessionRules counted(MetricKind kind = MetricKind::other) {
    SessionRules rules;
    rules.kind = kind;
    return rules;
}

/// Blocks in the order that sessions run; the values of each side in turn.
std::vector<SessionRun> blocks_of(
    int blocks, const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<SessionRun> runs;
    std::size_t next_a = 0, next_b = 0;
    for (int block = 0; block < blocks; ++block) {
        for (const Side side : block_order(block)) {
            const double value = side == Side::a ? a[next_a++ % a.size()] : b[next_b++ % b.size()];
            runs.push_back({side, block, value});
        }
    }
    return runs;
}

/// The record of so many nights of three runs.
SeriesRecord nights_of(const LoopRules& rules, const std::vector<std::vector<double>>& nights) {
    SeriesRecord record(rules.direction);
    for (std::size_t i = 0; i < nights.size(); ++i) {
        take_night(record, rules, {.id = static_cast<std::int64_t>(i) + 1, .runs = nights[i]});
        decline(record);
    }
    return record;
}

NightWord take(
    SeriesRecord& record, const LoopRules& rules, int id, const std::vector<double>& runs) {
    return take_night(record, rules, {.id = id, .runs = runs});
}

LoopRules loop_of_counts() {
    LoopRules rules;
    rules.kind = MetricKind::other;
    return rules;
}

}  // namespace

TEST_CASE("From 0 a change that every run shows is worse, with no ratio", "[bisect][detect]") {
    const auto said = judge_session(blocks_of(1, {0}, {2}), counted());
    CHECK(said.decided);
    CHECK(said.verdict == Verdict::regression);
    CHECK(said.comparison.before == 0);
    CHECK(said.comparison.after == 2);
    CHECK(said.comparison.change_ratio == from_zero);
    CHECK(said.comparison.finding == Finding::worse);
    CHECK(said.reason == "2 against 0 in 2 + 2 runs: worse");
}

TEST_CASE("To 0 is better, 0 and 0 are the same", "[bisect][detect]") {
    const auto better = judge_session(blocks_of(1, {8}, {0}), counted());
    CHECK(better.verdict == Verdict::improvement);
    CHECK(better.comparison.change_ratio == -1);
    const auto same = judge_session(blocks_of(1, {0}, {0}), counted(MetricKind::memory));
    CHECK(same.decided);
    CHECK(same.verdict == Verdict::noise);
    CHECK(same.comparison.change_ratio == 0);
}

TEST_CASE("What flickers around 0 on both sides is noise", "[bisect][detect]") {
    const auto said = judge_session(blocks_of(3, {0, 1, 0}, {1, 0, 0, 0}), counted());
    CHECK(said.decided);
    CHECK(said.verdict == Verdict::noise);
    // Not enough runs for either.
    CHECK_FALSE(judge_session(blocks_of(1, {0, 0}, {0, 3}), counted()).decided);
    // Every run of one side beyond the other one's, which differ.
    const auto apart = judge_session(blocks_of(2, {0, 1}, {5, 7}), counted());
    CHECK(apart.verdict == Verdict::regression);
}

TEST_CASE("Less than the grain of memory is no change", "[bisect][detect]") {
    const auto dust = blocks_of(2, {0}, {0.3});
    CHECK(judge_session(dust, counted(MetricKind::memory)).verdict == Verdict::noise);
    CHECK(judge_session(dust, counted()).verdict == Verdict::regression);
}

TEST_CASE("A time of 0 stays a fault", "[bisect][detect]") {
    CHECK_THROWS_AS(judge_session(blocks_of(1, {0}, {2}), counted(MetricKind::time)), Error);
    SeriesRecord record(Direction::lower_is_better);
    CHECK_THROWS_AS(take(record, {}, 1, {0, 0, 0}), Error);
}

TEST_CASE("A series of zeros asks when it is no longer 0", "[bisect][detect]") {
    const auto rules = loop_of_counts();
    auto record = nights_of(rules, std::vector<std::vector<double>>(14, {0, 0, 0}));
    auto calm = take(record, rules, 15, {0, 0, 0});
    CHECK_FALSE((calm.asks && !calm.is_optional));
    decline(record);
    const auto word = take(record, rules, 16, {2, 2, 2});
    REQUIRE(word.asks);
    CHECK_FALSE(word.is_optional);
    CHECK(word.base == 0);
    CHECK(word.value == 2);
    CHECK(word.change_ratio == from_zero);
    CHECK(std::isfinite(word.moved));
    CHECK(word.chance > 0.9);
    CHECK(word.reason.find("up from 0") != std::string::npos);
    const auto said = judge_question(record, rules, blocks_of(2, {0}, {2}), false);
    CHECK(said.answer.verdict == Verdict::regression);
    CHECK(std::isfinite(said.answer.evidence.change));
}

TEST_CASE("What nights around 0 have shown before is no news", "[bisect][detect]") {
    const auto rules = loop_of_counts();
    std::vector<std::vector<double>> nights(28, {0, 0, 0});
    nights[5] = nights[11] = nights[20] = {1, 1, 1};
    auto record = nights_of(rules, nights);
    const auto again = take(record, rules, 29, {1, 1, 1});
    CHECK_FALSE((again.asks && !again.is_optional));
    decline(record);
    const auto more = take(record, rules, 30, {4, 4, 4});
    CHECK((more.asks && !more.is_optional));
}

TEST_CASE("A regression from 0 recovers at 0", "[bisect][detect]") {
    const auto rules = loop_of_counts();
    auto record = nights_of(rules, std::vector<std::vector<double>>(14, {2, 2, 2}));
    const std::vector<double> zeros{0, 0, 0};
    LoopNight night{.id = 15, .runs = zeros};
    const std::vector<OpenRegression> open{
        {7, 3, badness(0, rules.direction), badness(2, rules.direction)}};
    night.open = open;
    const auto word = take_night(record, rules, night);
    REQUIRE(word.asks);
    REQUIRE(record.question.has_value());
    CHECK(record.question->asked == Asked::recovered);
    const auto said = judge_question(record, rules, blocks_of(2, {0}, {0}), false);
    CHECK(said.answer.verdict == Verdict::fixed);
}
