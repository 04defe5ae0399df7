#include "bisect/why/words.hpp"

#include <catch2/catch.hpp>

#include "bisect/why/why.hpp"

using namespace vigil;
using namespace vigil::why;
using Catch::Contains;

namespace {

/// Memory by operators: name, bytes at the peak, and what it grows by.
profile::Profile held(
    const std::vector<std::tuple<std::string, std::int64_t, std::int64_t>>& operators) {
    profile::Profile profile;
    profile.unit = profile::CostUnit::operator_peak_bytes;
    for (const auto& [name, bytes, grown] : operators) {
        profile::Function one;
        one.name = name;
        one.cost = bytes;
        one.grown = grown;
        profile.functions.push_back(one);
        profile.total += bytes;
    }
    return profile;
}

}  // namespace

TEST_CASE("Memory that an operator keeps is its row, with who called it", "[bisect][why]") {
    const auto before =
        held({{"lab::conv2d", 3000, 0}, {"(before the iterations)", 2000, 0}, {"aten::mm", 10, 0}});
    const auto after =
        held({{"lab::conv2d", 9000, 0}, {"(before the iterations)", 2000, 0}, {"aten::mm", 50, 0}});
    const auto why = explain(before, after, 1.2, {});
    CHECK(why.unit == profile::CostUnit::operator_peak_bytes);
    CHECK(why.before == 5010);
    CHECK(why.after == 11'050);
    REQUIRE(why.rows.size() == 1);
    CHECK(why.rows[0].function == "lab::conv2d");
    CHECK(why.rows[0].share == Approx(6000.0 / 6040));
    CHECK(why.notes.empty());
    CHECK_THAT(why.words, Contains("this row is 99 %") && Contains("bytes at the peak"));
    const auto called = explain(held({{"aten::mm", 10, 0}}), held({{"aten::mm", 10, 0}}), 0.1, {});
    CHECK_THAT(called.words, Contains("as many bytes that LibTorch allocated"));
    auto larger = held({{"aten::mm", 60, 0}});
    larger.functions[0].libraries = {{"lab::linear", 60}};
    const auto caller = explain(held({{"aten::mm", 10, 0}}), larger, 5, {});
    REQUIRE(caller.rows.size() == 1);
    CHECK(caller.rows[0].mostly_in == "lab::linear");
}

TEST_CASE("Who keeps more after each iteration is said, also below a peak", "[bisect][why]") {
    const auto before = held({{"a", 1'000'000, 0}, {"b", 500, 100}, {"c", 0, -5}});
    const auto after = held({{"a", 1'000'000, 0}, {"b", 500, 100}, {"c", 1000, 2048}});
    const auto why = explain(before, after, 0.1, {});
    CHECK(why.rows.empty());  // 0.1 % of the peak
    REQUIRE(why.notes.size() == 1);
    CHECK(why.notes[0] == "c keeps 2.000 KiB more after each iteration, before none");
    auto other = before;
    other.unit = profile::CostUnit::operator_bytes;
    CHECK(growth_words(other, other).empty());
    std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> many;
    for (int i = 1; i < 9; ++i) many.emplace_back("f" + std::to_string(i), 10, i);
    const auto words = growth_words(held({}), held(many));
    REQUIRE(words.size() == 3);
    CHECK_THAT(words[0], Contains("f8 keeps"));
}

TEST_CASE("What grows without end has a sum", "[bisect][why]") {
    const std::tuple<std::string, std::int64_t, std::int64_t> most{"a", 10, profile::most_cost};
    CHECK(growth_words(held(std::vector(2000, most)), held({most})).empty());
}
