#include "service/watch/search/prior.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

Revision commit(int number) {
    const auto digits = std::to_string(number);
    return Revision(std::string(40 - digits.size(), '0') + digits);
}

/// The good commit and `suspects` after it.
std::vector<WeighedCommit> line_of(int suspects) {
    std::vector<WeighedCommit> line;
    for (int i = 0; i <= suspects; ++i) line.push_back({commit(i)});
    return line;
}

}  // namespace

TEST_CASE("Nights that nobody measured show on the next one that was", "[service][watch]") {
    const std::vector<NightlyId> nights{NightlyId{4}, NightlyId{5}, NightlyId{6}, NightlyId{7}};
    FirstNight known;
    known.measured = {NightlyId{3}, NightlyId{5}, NightlyId{6}, NightlyId{7}};
    known.since = NightlyId{5};
    known.earliest = NightlyId{5};
    known.latest = NightlyId{6};
    const auto weights = weigh_nights(nights, known);
    REQUIRE(weights.size() == 4);
    CHECK(weights[0] == weights[1]);
    CHECK(weights[1] > weights[2]);
    CHECK(weights[2] > weights[3]);
    CHECK(weights[3] > 0);
}

TEST_CASE("Nights after the last value say nothing of their own", "[service][watch]") {
    FirstNight known;
    known.measured = {NightlyId{3}};
    known.since = known.earliest = known.latest = NightlyId{3};
    const auto weights = weigh_nights({NightlyId{3}, NightlyId{4}, NightlyId{5}}, known);
    REQUIRE(weights.size() == 3);
    CHECK(weights[0] == 1);
    CHECK(weights[1] < 0.1);
    CHECK(weights[1] == weights[2]);
}

TEST_CASE("A commit weighs what its night does, and a named culprit more", "[service][watch]") {
    const auto line = line_of(10);
    const std::vector<NightPrior> nights{
        {line[4].revision, 0.05},
        {commit(77), 1},  // a night of another line: the next one has it
        {line[8].revision, 0.4},
        {line[10].revision, 0.05}};
    const auto weights = weigh_commits(line, nights, {});
    REQUIRE(weights.size() == 10);
    CHECK(weights[0] == 0.05);
    CHECK(weights[3] == 0.05);
    CHECK(weights[4] == 1);
    CHECK(weights[7] == 1);
    CHECK(weights[8] == 0.05);
    const auto named = weigh_commits(line, nights, {line[9].revision, commit(88)});
    CHECK(named[8] > 10 * named[7]);
    CHECK(named[7] == 1);
}

TEST_CASE("Where nothing tells commits apart, none has a weight", "[service][watch]") {
    const auto line = line_of(10);
    CHECK(weigh_commits(line, {}, {}).empty());
    CHECK(weigh_commits(line, {{line[10].revision, 1}}, {}).empty());
    CHECK(weigh_commits(line, {}, {commit(88)}).empty());
    CHECK(weigh_commits(line_of(0), {{commit(0), 1}}, {commit(0)}).empty());
}

TEST_CASE("A merge weighs what it brought", "[service][watch]") {
    auto line = line_of(4);
    line[3].commits = 12;
    CHECK(weigh_commits(line, {}, {}) == std::vector<double>{1, 1, 12, 1});
    const auto named = weigh_commits(line, {{commit(2), 0.5}, {commit(4), 1}}, {commit(1)});
    CHECK(named[1] == 0.5);
    CHECK(named[2] == 12);
    CHECK(named[0] > named[2]);
}
