#include "worker/bench/operators/hints.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "worker/bench/operators/chains.hpp"

using namespace vigil_bench;
using Catch::Contains;

namespace {

using Chains = std::vector<std::vector<std::size_t>>;

const void* memory(std::uintptr_t number) {
    return reinterpret_cast<const void*>(number);
}

MemoryCall element(std::vector<std::uintptr_t> reads, std::uintptr_t writes) {
    MemoryCall call;
    for (const auto one : reads) call.reads.push_back(memory(one));
    call.writes = memory(writes);
    call.is_element_wise = true;
    return call;
}

MemoryCall other(std::vector<std::uintptr_t> reads, std::uintptr_t writes) {
    auto call = element(std::move(reads), writes);
    call.is_element_wise = false;
    return call;
}

}  // namespace

TEST_CASE("A chain is calls whose values nobody else reads", "[bench]") {
    CHECK(find_chains({element({1}, 2), element({2, 9}, 3), element({3}, 4)}) == Chains{{0, 1, 2}});
    // The first value is read twice, as for a gradient: it must stay in memory.
    CHECK(
        find_chains({element({1}, 2), element({2}, 3), element({3}, 4), other({2}, 5)}) ==
        Chains{{1, 2}});
    // Something else stands between.
    CHECK(find_chains({element({1}, 2), other({2}, 3), element({3}, 4)}).empty());
    // What it wrote is not what the next one works on.
    CHECK(find_chains({element({1}, 2), element({7, 2}, 3)}).empty());
    auto product = element({7, 2}, 3);
    product.is_symmetric = true;
    CHECK(find_chains({element({1}, 2), product}) == Chains{{0, 1}});
    CHECK(find_chains({}).empty());
}

TEST_CASE("Memory that is used again holds another value", "[bench]") {
    // 2 is written, read, written anew, and read by one more.
    CHECK(
        find_chains({element({1}, 2), element({2}, 3), other({8}, 2), other({2}, 6)}) ==
        Chains{{0, 1}});
    auto in_place = other({2}, 2);
    in_place.is_in_place = true;
    CHECK(find_chains({element({1}, 2), in_place, element({2}, 3)}).empty());
}

TEST_CASE("A hint needs a saving that is sure and large enough", "[bench]") {
    std::vector<double> rounds;
    for (int i = 0; i < 15; ++i) rounds.push_back(100 + i);
    const auto sure = hint_of("element_wise_chain", "a, b", rounds, 2);
    CHECK(sure.saves_ns == 214);
    CHECK(sure.low_ns == 206);
    CHECK(sure.high_ns == 222);
    for (int i = 0; i < 4; ++i) rounds[static_cast<std::size_t>(i)] = -5;
    const auto unsure = hint_of("element_wise_chain", "c, d", rounds, 2);
    CHECK(unsure.low_ns < 0);
    CHECK(worth_saying({unsure}, 1000).empty());
    CHECK(worth_saying({sure}, 1e6).empty());
    const auto said = worth_saying({unsure, sure}, 1000);
    REQUIRE(said.size() == 1);
    CHECK(hints_json(said, 1000).at(0).at("share") == 0.214);
    CHECK(hints_json(said, 1000).at(0).at("interval_ns").at(1) == 222);
    // What saves too little was measured all the same.
    CHECK(measured_json({unsure, sure}).at("element_wise_chain") == 2);
    CHECK(measured_json({}).dump() == "{}");
    CHECK_THAT(hints_text(said, 1000), Contains("a, b: saves 214 ns (21.4 %"));
}
