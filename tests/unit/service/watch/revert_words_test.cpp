#include "service/watch/requested/revert_words.hpp"

#include <catch2/catch.hpp>

#include "bisect/stats/change_share.hpp"
#include "service/watch/requested/reverts.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

Comparison change_of(double ratio, double error = 0.004) {
    Comparison c;
    c.change_ratio = ratio;
    c.low = ratio - error;
    c.high = ratio + error;
    c.runs_before = c.runs_after = 8;
    return c;
}

const Comparison whole_change = change_of(0.124);

RevertCheck checked(RevertOutcome outcome) {
    RevertCheck check;
    check.state = RevertState::done;
    check.outcome = outcome;
    check.head = Revision(std::string(40, 'a'));
    check.made = Revision(std::string(40, 'b'));
    check.size = whole_change;
    return check;
}

}  // namespace

TEST_CASE("What a revert brings back is said with its part of the whole", "[service][watch]") {
    auto check = checked(RevertOutcome::helps);
    check.reverted = stats::turned(change_of(0.118));
    CHECK(
        revert_words(check) == "A revert on today's head (aaaaaaaaaa) brings back 11.8 of 12.4 %");
    check.outcome = RevertOutcome::in_part;
    check.reverted = stats::turned(change_of(0.06));
    CHECK(
        revert_words(check) ==
        "A revert on today's head (aaaaaaaaaa) brings back 6.0 of 12.4 %; the rest has another "
        "cause");
    check.outcome = RevertOutcome::unclear;
    check.reverted = stats::turned(change_of(0.06, 0.05));
    CHECK(
        revert_words(check) ==
        "How much a revert on today's head (aaaaaaaaaa) brings back is not clear: from 1.0 to 11.0 "
        "of 12.4 %");
}

TEST_CASE("Of a merge it is said against which parent it is reverted", "[service][watch]") {
    auto check = checked(RevertOutcome::helps);
    check.is_merge = true;
    check.reverted = stats::turned(change_of(0.118));
    CHECK(
        revert_words(check) ==
        "A revert of the merge against its first parent (git revert -m 1) on today's head "
        "(aaaaaaaaaa) brings back 11.8 of 12.4 %");
    check.outcome = RevertOutcome::conflicts;
    check.conflicts = {"a.cpp"};
    check.conflicting = 1;
    CHECK(
        revert_words(check) ==
        "A revert of the merge against its first parent (git revert -m 1) on today's head "
        "(aaaaaaaaaa) does not apply: conflicts in 1 file (a.cpp)");
}

TEST_CASE("What a revert does not bring back is said with the reason", "[service][watch]") {
    auto check = checked(RevertOutcome::no_help);
    check.reverted = change_of(0.001);
    check.still = change_of(0.121);
    CHECK(
        revert_words(check) ==
        "A revert on today's head (aaaaaaaaaa) does not help: head stays 12.1 % worse than before "
        "the culprit");
    check.outcome = RevertOutcome::gone;
    CHECK(
        revert_words(check) ==
        "The change is no longer there: today's head (aaaaaaaaaa) is as before the culprit");
    check.made.reset();
    CHECK(
        revert_words(check) ==
        "The change is no longer there: today's head (aaaaaaaaaa) is as before the culprit, of "
        "which it holds nothing");
    check.outcome = RevertOutcome::taken_back;
    CHECK(
        revert_words(check) ==
        "The culprit is already taken back, and yet today's head (aaaaaaaaaa) is 12.1 % worse than "
        "before the culprit");
    check.outcome = RevertOutcome::conflicts;
    check.conflicts = {"a.cpp", "b.cpp"};
    check.conflicting = 2;
    CHECK(
        revert_words(check) ==
        "A revert on today's head (aaaaaaaaaa) does not apply: conflicts in 2 files (a.cpp, "
        "b.cpp)");
    check.conflicts = {"a", "b", "c", "d"};
    check.conflicting = 40;
    CHECK(
        revert_words(check) ==
        "A revert on today's head (aaaaaaaaaa) does not apply: conflicts in 40 files (a, b, c, "
        "...)");
    check.outcome = RevertOutcome::unknown;
    check.message = "the revert does not build";
    CHECK(revert_words(check) == "Whether a revert helps is not known: the revert does not build");
    check.outcome.reset();
    CHECK(revert_words(check) == "Whether a revert helps is checked after all other work");
}

TEST_CASE("Where nothing comes back, the culprit's parent decides", "[service][watch]") {
    CHECK(outcome_of_revert(whole_change, stats::turned(change_of(0.118))) == RevertOutcome::helps);
    CHECK(
        outcome_of_revert(whole_change, stats::turned(change_of(0.06))) == RevertOutcome::in_part);
    CHECK(
        outcome_of_revert(whole_change, stats::turned(change_of(0.06, 0.06))) ==
        RevertOutcome::unclear);
    CHECK_FALSE(outcome_of_revert(whole_change, change_of(0.001)));
    CHECK(outcome_of_still(whole_change, change_of(0.001), true) == RevertOutcome::gone);
    CHECK(outcome_of_still(whole_change, change_of(-0.1), false) == RevertOutcome::gone);
    CHECK(outcome_of_still(whole_change, change_of(0.12), true) == RevertOutcome::no_help);
    CHECK(outcome_of_still(whole_change, change_of(0.06), false) == RevertOutcome::taken_back);
    CHECK(outcome_of_still(whole_change, change_of(0.06, 0.07), false) == RevertOutcome::unclear);
}

TEST_CASE(
    "The series that got worse the most is measured, of those with values", "[service][watch]") {
    const auto series = [](std::int64_t id, Verdict verdict, double ratio) {
        ReportedSeries one;
        one.id = SeriesId{id};
        one.program = "p";
        one.variant = "v";
        one.machine_class = "m";
        one.verdict = verdict;
        one.confirmed = change_of(ratio);
        return one;
    };
    const std::vector<RequestedVariant> measured{{"p", "v", "m"}};
    std::vector all{
        series(1, Verdict::broken, 9),
        series(2, Verdict::regression, 0.1),
        series(3, Verdict::regression, 0.3)};
    all[2].verified = change_of(0.32);
    const auto choice = choose_reverted(all, measured);
    REQUIRE(choice.series);
    CHECK(choice.series->id == SeriesId{3});
    CHECK(choice.size.change_ratio > 0.3);
    CHECK(
        choose_reverted(all, {}).why_none.find("measures none of its series") != std::string::npos);
    all.resize(1);
    CHECK(choose_reverted(all, measured).why_none == "none of its series changed in a value");
}
