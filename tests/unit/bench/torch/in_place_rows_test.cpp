#include "worker/bench/operators/in_place_rows.hpp"

#include <catch2/catch.hpp>

using namespace vigil_bench;

namespace {

using Rows = std::vector<std::vector<std::size_t>>;

const void* place_of(std::uintptr_t number) {
    return reinterpret_cast<const void*>(number);
}

InPlaceCall changed(
    const char* kind, std::uintptr_t writes, std::vector<std::uintptr_t> reads = {}) {
    InPlaceCall call{kind, place_of(writes), {}};
    for (const auto one : reads) call.reads.push_back(place_of(one));
    return call;
}

const InPlaceCall anything_else;

/// 0, 1, 2, ... or every second one, and so on.
std::vector<std::size_t> places(std::size_t first, std::size_t step, std::size_t count) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(first + i * step);
    return all;
}

}  // namespace

TEST_CASE("A row is many calls in place of one kind, each on its own tensor", "[bench]") {
    std::vector<InPlaceCall> calls;
    for (std::uintptr_t i = 1; i <= least_row; ++i) calls.push_back(changed("zero_", i));
    CHECK(find_rows(calls) == Rows{places(0, 1, least_row)});
    // One less is no row.
    CHECK(find_rows({calls.begin(), calls.end() - 1}).empty());
    CHECK(find_rows({}).empty());
    // Another call stands between: what it reads is not known to be another tensor.
    calls.insert(calls.begin() + 4, anything_else);
    CHECK(find_rows(calls).empty());
}

TEST_CASE("A step of SGD over parameters is a row, whose gradients nobody changes", "[bench]") {
    std::vector<InPlaceCall> calls;
    for (std::uintptr_t i = 1; i <= 10; ++i) calls.push_back(changed("add_", i, {100 + i}));
    CHECK(find_rows(calls) == Rows{places(0, 1, 10)});
    // One tensor is changed twice: two rows, if they are long enough.
    calls.push_back(changed("add_", 10, {200}));
    CHECK(find_rows(calls) == Rows{places(0, 1, 10)});
    // Each reads what the one before it changed: nothing can be done at once.
    calls.clear();
    for (std::uintptr_t i = 1; i <= 10; ++i) calls.push_back(changed("add_", i, {i - 1}));
    CHECK(find_rows(calls).empty());
}

TEST_CASE("Kinds that alternate are a row each, where one may follow the other", "[bench]") {
    std::vector<InPlaceCall> momentum;
    for (std::uintptr_t i = 1; i <= 9; ++i) {
        momentum.push_back(changed("mul_ 0.9", i));
        momentum.push_back(changed("add_ 1", i, {100 + i}));
        momentum.push_back(changed("add_ -0.1", 200 + i, {i}));
    }
    CHECK(find_rows(momentum) == Rows{places(0, 3, 9), places(1, 3, 9), places(2, 3, 9)});
    // Here the second kind reads what the first kind changes later: every order is another result.
    std::vector<InPlaceCall> shifted;
    for (std::uintptr_t i = 1; i <= 20; ++i) {
        shifted.push_back(changed("mul_", i));
        shifted.push_back(changed("add_", 300 + i, {i + 1}));
    }
    CHECK(find_rows(shifted).empty());
}

TEST_CASE("Two loops over the parameters are two rows", "[bench]") {
    std::vector<InPlaceCall> calls;
    for (std::uintptr_t i = 1; i <= 8; ++i) calls.push_back(changed("zero_", i));
    calls.push_back(anything_else);
    for (std::uintptr_t i = 1; i <= 8; ++i) calls.push_back(changed("zero_", i));
    CHECK(find_rows(calls) == Rows{places(0, 1, 8), places(9, 1, 8)});
}
