#include "bisect/search/inside.hpp"

#include <catch2/catch.hpp>

using namespace vigil::search;

TEST_CASE("A search goes on inside of a merge, and of nothing else", "[bisect][search]") {
    EndedSearch ended{.ending = Ending::culprit};
    CHECK(onward(ended) == Onward::nowhere);
    ended.newest_is_merge = true;
    CHECK(onward(ended) == Onward::into_newest);
    ended.ending = Ending::range;
    CHECK(onward(ended) == Onward::nowhere);
    ended.verified = true;
    CHECK(onward(ended) == Onward::into_newest);
    ended.newest_is_merge = false;
    CHECK(onward(ended) == Onward::nowhere);
    ended.newest_is_merge = true;
    ended.ending = Ending::not_reproduced;
    CHECK(onward(ended) == Onward::nowhere);
}

TEST_CASE("Merges inside of merges are entered to a bounded depth", "[bisect][search]") {
    EndedSearch ended{.ending = Ending::culprit, .newest_is_merge = true};
    ended.depth = most_depth;
    CHECK(onward(ended) == Onward::into_newest);
    ended.depth = most_depth + 1;
    CHECK(onward(ended) == Onward::nowhere);
}

TEST_CASE("What one parent does not show alone is looked for in the next", "[bisect][search]") {
    EndedSearch ended{.ending = Ending::not_reproduced, .parents = 3, .parent = 2, .depth = 2};
    CHECK(onward(ended) == Onward::next_parent);
    ended.parent = 3;
    CHECK(onward(ended) == Onward::nowhere);
    ended.parent = 2;
    ended.ending = Ending::range;  // an end that cannot be built, for one
    CHECK(onward(ended) == Onward::nowhere);
}
