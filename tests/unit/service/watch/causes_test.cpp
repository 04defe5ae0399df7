#include "service/watch/search/causes.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

Comparison verified(double change, double error) {
    Comparison comparison;
    comparison.change_ratio = change;
    comparison.low = change - 1.645 * error;
    comparison.high = change + 1.645 * error;
    comparison.runs_after = 4;
    return comparison;
}

// A search inside of a merge that named one commit.
BisectionConclusion named(double change, double error) {
    search::SeriesEnding ending;
    ending.ending = search::Ending::culprit;
    ending.first = ending.last = 3;
    ending.verified = verified(change, error);
    return {"", {ending}, {}, {}};
}

}  // namespace

TEST_CASE("What a merge changed beside its commits is left over", "[service][watch]") {
    const std::vector thresholds{0.07};
    const auto left = left_by_merge(named(0.15, 0.01), {verified(0.38, 0.01)}, thresholds);
    REQUIRE(left.size() == 1);
    CHECK(left[0].is_sure);
    CHECK(left[0].change_ratio == Approx(0.2));
    const auto rest = rest_of_merge(left);
    REQUIRE(rest);
    CHECK_THAT(rest->rest, Catch::Contains("about +20.0 % did not"));
    CHECK(likely_left({named(0.15, 0.01).endings, {}}, left).empty());
}

TEST_CASE("What a merge may have changed itself is told in words", "[service][watch]") {
    const auto conclusion = named(0.15, 0.03);
    const auto left = left_by_merge(conclusion, {verified(0.3, 0.03)}, {0.07});
    REQUIRE(left.size() == 1);
    CHECK_FALSE(left[0].is_sure);
    CHECK_FALSE(rest_of_merge(left));
    CHECK_THAT(likely_left({conclusion.endings, {}}, left), Catch::Contains("about +13.0 % more"));
}

TEST_CASE("Nothing is left where the commits explain the merge", "[service][watch]") {
    const auto none = [](const BisectionConclusion& conclusion, const Comparison& around) {
        return left_by_merge(conclusion, {around}, {0.07}).empty();
    };
    CHECK(none(named(0.15, 0.01), verified(0.16, 0.01)));
    CHECK(none(named(0.15, 0.01), verified(0.19, 0.002)));  // too small for a report
    CHECK(none(named(0.15, 0.06), verified(0.27, 0.06)));   // by chance
    CHECK(none(named(0.15, 0.01), Comparison{}));           // not verified
    auto more = named(0.15, 0.01);
    more.endings[0].remaining = search::Remaining{};
    CHECK(none(more, verified(0.38, 0.01)));
    auto both = named(0.15, 0.01);
    both.further = both.endings;
    CHECK(none(both, verified(0.32, 0.01)));
}

TEST_CASE("The smaller of verification and confirmation is believed", "[service][watch]") {
    const auto small = verified(0.2, 0.01);
    const auto large = verified(0.4, 0.01);
    CHECK(surer_of(small, large).change_ratio == 0.2);
    CHECK(surer_of(large, small).change_ratio == 0.2);
    CHECK(surer_of(large, Comparison{}).runs_after == 0);
    CHECK(surer_of(Comparison{}, large).runs_after == 0);
}

TEST_CASE("A culprit's reason says how it came in and what was not searched", "[service][watch]") {
    auto ending = named(0.15, 0.01).endings.front();
    ending.reason = "commit 3 is worse";
    const Cause cause{{ending}, RegressionId{7}};
    CHECK(reason_of(cause, std::nullopt, "before", "; others", "") == "commit 3 is worse; others");
    const InsideOf inside{BisectionId{1}, Revision(std::string(40, 'a')), 2, RegressionId{7}};
    CHECK(
        reason_of(cause, inside, "before", "; others", "the budget is spent") ==
        "commit 3 is worse; it came in by the merge " + inside.merge.brief() +
            "; others; its inside was not searched: the budget is spent");
}

TEST_CASE("What stays with a merge keeps what was said of it", "[service][watch]") {
    auto ending = named(0.15, 0.01).endings.front();
    ending.ending = search::Ending::range;
    ending.reason = "commits 2 to 4 do not build";
    Cause cause{{ending}, RegressionId{7}};
    CHECK(
        reason_of(cause, std::nullopt, "before", "; others", "spent") ==
        "commits 2 to 4 do not build; others");
    const InsideOf inside{BisectionId{1}, Revision(std::string(40, 'a')), 2, RegressionId{7}};
    const auto searched = "before" + searched_inside(inside);
    CHECK(
        reason_of(cause, inside, "before", "; others", "") ==
        searched + "commits 2 to 4 do not build");
    CHECK(
        reason_of(cause, inside, "before", "", "spent") ==
        searched + "commits 2 to 4 do not build; the rest was not searched: spent");
    cause.rest = "a part did not";
    CHECK(
        reason_of(cause, inside, "before", "; others", "") == searched + "a part did not; others");
    cause = {{ending}, RegressionId{7}};
    cause.endings.front().ending = search::Ending::not_reproduced;
    CHECK_THAT(
        reason_of(cause, inside, "before", "", ""),
        Catch::EndsWith("its commits do not show the change alone"));
}
