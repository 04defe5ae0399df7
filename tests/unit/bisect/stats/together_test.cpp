#include "bisect/stats/together.hpp"

#include <numeric>

#include <catch2/catch.hpp>

using namespace vigil::stats;
using Groups = std::vector<std::vector<int>>;

TEST_CASE("A session is run in few groups that keep its pairs together", "[bisect][stats]") {
    CHECK(run_groups(std::vector{0, 7, 7, 0}, 6) == Groups{{0, 1, 2, 3}});
    CHECK(run_groups(std::vector{0, 7, 7, 9, 7, 7}, 6) == Groups{{0, 1, 2, 3, 4, 5}});
    CHECK(run_groups(std::vector{0, 7, 7, 0, 0, 7, 7, 0}, 6) == Groups{{0, 1, 2, 3}, {4, 5, 6, 7}});
    CHECK(run_groups(std::vector{0, 7, 7, 0, 0}, 6) == Groups{{0, 1, 2, 3, 4}});
    CHECK(run_groups(std::vector{0, 7, 7, 0}, 2) == Groups{{0, 1}, {2, 3}});
    CHECK(run_groups(std::vector{0, 7, 7, 0}, 3) == Groups{{0, 1}, {2, 3}});
    CHECK(run_groups(std::vector{0, 7}, 1) == Groups{{0}, {1}});
    CHECK(run_groups(std::vector{7, 7, 7}, 6) == Groups{{0}, {1}, {2}});
    CHECK(run_groups(std::vector<int>{}, 6).empty());
}

TEST_CASE("No group is larger than what may run at once, and none is lost", "[bisect][stats]") {
    for (int at_once = 1; at_once <= 9; ++at_once) {
        for (int count = 1; count <= 60; ++count) {
            std::vector<int> commits;
            for (int i = 0; i < count; ++i) commits.push_back(i % 4 == 1 || i % 4 == 2 ? 5 : 0);
            std::vector<int> seen;
            for (const auto& group : run_groups(commits, at_once)) {
                CHECK(static_cast<int>(group.size()) <= std::max(at_once, 1));
                seen.insert(seen.end(), group.begin(), group.end());
            }
            std::vector<int> all(static_cast<std::size_t>(count));
            std::iota(all.begin(), all.end(), 0);
            CHECK(seen == all);
        }
    }
}

TEST_CASE("What groups met in common is taken off, the difference stays", "[bisect][stats]") {
    // The second group met a machine half as fast.
    const std::vector<GroupedValue> values{
        {0, 0, 100},
        {0, 1, 110},
        {0, 1, 112},
        {0, 0, 101},
        {4, 1, 220},
        {4, 0, 200},
        {4, 0, 202},
        {4, 1, 224}};
    const auto levelled = level_groups(values);
    REQUIRE(levelled.size() == 8);
    CHECK(levelled[0] == Approx(levelled[5]));
    CHECK(levelled[1] / levelled[0] == Approx(1.1));
    CHECK(levelled[4] / levelled[5] == Approx(1.1));
}

TEST_CASE("Values are left as they are where groups are not alike", "[bisect][stats]") {
    const auto raw = [](const std::vector<GroupedValue>& values) {
        std::vector<double> plain;
        for (const auto& one : values) plain.push_back(one.value);
        return plain;
    };
    const std::vector<GroupedValue> one_group{{0, 0, 1}, {0, 1, 2}, {0, 1, 3}, {0, 0, 4}};
    const std::vector<GroupedValue> alone{{0, 0, 1}, {0, 1, 2}, {0, 1, 3}, {0, 0, 4}, {-1, 0, 9}};
    const std::vector<GroupedValue> pairs{{0, 0, 1}, {0, 1, 2}, {2, 1, 6}, {2, 0, 5}};
    const std::vector<GroupedValue> uneven{
        {0, 0, 1}, {0, 1, 2}, {0, 1, 3}, {0, 0, 4}, {4, 0, 5}, {4, 1, 6}, {4, 1, 7}, {4, 1, 8}};
    for (const auto& values : {one_group, alone, pairs, uneven}) {
        CHECK(level_groups(values) == raw(values));
    }
    CHECK(level_groups({}).empty());
}
