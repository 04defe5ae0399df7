#include "service/watch/requested/choose_improvements.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

ConfirmedChange got_better(std::int64_t suspicion, double change_ratio) {
    ConfirmedChange one;
    one.suspicion = SuspicionId{suspicion};
    one.confirmed.change_ratio = change_ratio;
    return one;
}

}  // namespace

TEST_CASE("Series that moved together are searched once, by the largest", "[service][watch]") {
    const auto groups =
        choose_improvements({{got_better(1, -0.1), got_better(2, -0.3), got_better(3, -0.2)}}, 30);
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].largest.suspicion == SuspicionId{2});
    CHECK(groups[0].others == 2);
    CHECK(groups[0].probes == 30);
    CHECK(choose_improvements({}, 30).empty());
}

TEST_CASE("The largest improvements of a night share its probes", "[service][watch]") {
    const std::vector<std::vector<ConfirmedChange>> all{
        {got_better(1, -0.1)}, {got_better(2, -0.3)}, {got_better(3, -0.2)}};
    const auto probes = [&](int of_night) {
        std::vector<int> each;
        for (const auto& one : choose_improvements(all, of_night)) each.push_back(one.probes);
        return each;
    };
    CHECK(choose_improvements(all, 50).front().largest.suspicion == SuspicionId{2});
    CHECK(choose_improvements(all, 50).back().largest.suspicion == SuspicionId{1});
    CHECK(probes(1) == std::vector{1, 0, 0});
    CHECK(probes(39) == std::vector{39, 0, 0});
    CHECK(probes(50) == std::vector{25, 25, 0});
    CHECK(probes(600) == std::vector{200, 200, 200});
}
