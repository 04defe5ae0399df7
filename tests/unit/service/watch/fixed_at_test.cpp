#include <catch2/catch.hpp>

#include "service/watch/search/fix_search.hpp"

using namespace vigil;
using namespace vigil::service;
using search::Ending;
using search::SeriesEnding;

namespace {

SeriesEnding ended(int series, Ending how, int first, int last) {
    SeriesEnding ending;
    ending.series = series;
    ending.ending = how;
    ending.first = first;
    ending.last = last;
    return ending;
}

SeriesEnding named(int series, int commit) {
    return ended(series, Ending::culprit, commit, commit);
}

ChangedAt of_line(const std::vector<SeriesEnding>& endings) {
    return changed_at({"", endings, {}}, false);
}

using Commits = std::vector<int>;

}  // namespace

TEST_CASE("One commit that all series name is measured to have fixed", "[service][watch]") {
    const auto at = of_line({named(0, 3), named(1, 3)});
    CHECK(at.measured);
    CHECK(at.commits == Commits{3});
    CHECK(at.endings.size() == 2);
    CHECK(of_line({named(0, 3), ended(1, Ending::not_reproduced, 1, 9)}).measured);
}

TEST_CASE("What fixed is among several where the search says no more", "[service][watch]") {
    const auto range = of_line({ended(0, Ending::range, 3, 5)});
    CHECK_FALSE(range.measured);
    CHECK(range.commits == Commits{3, 4, 5});
    const auto two = of_line({named(0, 3), named(1, 7)});
    CHECK_FALSE(two.measured);
    CHECK(two.commits == Commits{3, 7});
    CHECK(two.endings.empty());
    auto part = named(0, 3);
    part.remaining = search::Remaining{.first = 6, .last = 7};
    CHECK_FALSE(of_line({part}).measured);
    CHECK(of_line({part}).commits == Commits{3, 6, 7});
    CHECK_FALSE(of_line({ended(0, Ending::range, 3, 3)}).measured);
}

TEST_CASE("A further change that stands alone fixed too", "[service][watch]") {
    auto further = named(0, 6);
    further.stands_alone = true;
    CHECK(changed_at({"", {named(0, 3)}, {}, {further}}, false).commits == Commits{3, 6});
    further.stands_alone = false;
    CHECK(changed_at({"", {named(0, 3)}, {}, {further}}, false).measured);
}

TEST_CASE("Nothing is said of what fixed where the ends are alike", "[service][watch]") {
    const auto at = of_line({ended(0, Ending::not_reproduced, 1, 9)});
    CHECK_FALSE(at.measured);
    CHECK(at.commits.empty());
    CHECK(of_line({}).commits.empty());
}

TEST_CASE("Inside of a merge one commit takes its place, or none", "[service][watch]") {
    CHECK(changed_at({"", {named(0, 2)}, {}}, true).measured);
    const auto stays = changed_at({"", {ended(0, Ending::not_reproduced, 1, 3)}, {}}, true);
    CHECK_FALSE(stays.measured);
    CHECK(stays.endings.size() == 1);  // the next parent is asked
    CHECK_FALSE(changed_at({"", {named(0, 2), ended(1, Ending::range, 1, 3)}, {}}, true).measured);
}
