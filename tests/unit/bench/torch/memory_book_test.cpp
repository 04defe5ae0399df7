#include "worker/bench/operators/memory_book.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace vigil_bench;
using Catch::Contains;

namespace {

const OperatorMemory& named(const MemoryProfile& profile, const std::string& name) {
    for (const auto& one : profile.operators) {
        if (one.name == name) return one;
    }
    FAIL("there is no " + name);
    return profile.operators.front();
}

}  // namespace

TEST_CASE("A block counts for who allocated it, whoever releases it", "[bench]") {
    MemoryBook book(1000);
    const auto conv = book.enter(nullptr, "lab::conv2d");
    const auto kept = book.allocate(&conv, 4096);
    const auto passing = book.allocate(&conv, 512);
    const auto relu = book.enter(nullptr, "aten::relu");
    const auto result = book.allocate(&relu, 256);
    book.release(passing, 512);  // within relu
    book.end_iteration();
    const auto profile = book.profile();
    CHECK(profile.iterations == 1);
    CHECK(profile.peak_bytes == 1000 + 4096 + 512 + 256);
    CHECK(profile.end_bytes == 1000 + 4096 + 256);
    REQUIRE(profile.operators.size() == 3);
    CHECK(profile.operators[0].name == "lab::conv2d");  // the largest first
    CHECK(profile.operators[0].memory.peak_bytes == 4608);
    CHECK(profile.operators[0].memory.peak_blocks == 2);
    CHECK(profile.operators[0].memory.end_bytes == 4096);
    CHECK(profile.operators[1].name == before_iterations);
    CHECK(profile.operators[1].memory.peak_bytes == 1000);
    CHECK(named(profile, "aten::relu").memory.peak_bytes == 256);
    CHECK(kept != result);
}

TEST_CASE("What only allocates counts for its caller, and alone for itself", "[bench]") {
    MemoryBook book(0);
    const auto conv = book.enter(nullptr, "lab::conv2d");
    const auto fresh = book.enter(&conv, "aten::new_empty");
    const auto empty = book.enter(&fresh, "aten::empty");
    book.allocate(&empty, 100);
    const auto zeros = book.enter(nullptr, "aten::zeros");
    const auto within = book.enter(&zeros, "aten::empty");
    book.allocate(&within, 30);
    book.allocate(nullptr, 7);
    const auto profile = book.profile();
    REQUIRE(profile.operators.size() == 3);
    CHECK(named(profile, "lab::conv2d").memory.peak_bytes == 100);
    CHECK(named(profile, "lab::conv2d").callers.empty());
    CHECK(named(profile, "aten::zeros").memory.peak_bytes == 30);
    CHECK(named(profile, in_no_operator).memory.peak_bytes == 7);
}

TEST_CASE("Who called an operator is told with it, the largest three", "[bench]") {
    MemoryBook book(0);
    const auto within = [&](const char* caller, std::int64_t bytes) {
        const auto outer = book.enter(nullptr, caller);
        const auto middle = book.enter(&outer, "aten::linear");
        const auto inner = book.enter(&middle, "aten::addmm");
        return book.allocate(&inner, bytes);
    };
    within("lab::small", 1);
    within("lab::large", 100);
    within("lab::middle", 10);
    within("lab::second", 50);
    book.release(within("lab::gone", 60), 60);
    const auto step = book.enter(nullptr, "autograd::engine::evaluate_function: AddmmBackward0");
    const auto product = book.enter(&step, "aten::mm");
    book.allocate(&product, 200);
    const auto profile = book.profile();
    const auto& addmm = named(profile, "aten::addmm");
    CHECK(addmm.memory.peak_bytes == 161);
    CHECK(addmm.memory.peak_blocks == 4);
    using Callers = std::vector<std::pair<std::string, std::int64_t>>;
    CHECK(addmm.callers == Callers{{"lab::large", 100}, {"lab::second", 50}, {"lab::middle", 10}});
    CHECK(named(profile, "aten::mm").callers == Callers{{"AddmmBackward0", 200}});
    const auto row = memory_json(profile).at("operators").at(1);
    CHECK(row.at("name") == "aten::addmm");
    CHECK(row.at("peak_bytes") == 161);
    CHECK(row.at("callers").at(0).at("name") == "lab::large");
    CHECK_THAT(memory_table(profile), Contains("aten::addmm") && Contains("161 B"));
}

TEST_CASE("Names that a program makes as it runs are bounded", "[bench]") {
    MemoryBook book(0);
    constexpr int many = 12'000;
    for (int i = 0; i < many; ++i) {
        const auto frame = book.enter(nullptr, "step " + std::to_string(i));
        book.allocate(&frame, 10);
    }
    const auto profile = book.profile();
    CHECK(profile.operators.size() <= 10'000);
    CHECK(named(profile, "(other operators)").memory.peak_bytes > 10'000);
    const auto json = memory_json(profile);
    CHECK(json.dump().size() < 60'000);  // one write to a pipe
    std::int64_t sum = 0;
    for (const auto& row : json.at("operators")) sum += row.at("peak_bytes").get<std::int64_t>();
    CHECK(sum == 10 * many);
    CHECK(json.at("peak_bytes") == sum);
}
