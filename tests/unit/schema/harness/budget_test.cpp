// Memory and steps follow the size of a file, whatever stands in it. Linear time is tested by what
// is made for texts of one kind, one twice as long as the other.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/harness/console/recognize.hpp"
#include "schema/harness/read.hpp"
#include "schema/model/error.hpp"
#include "schema/text/read_budget.hpp"
#include "tests/support/heap_watch.hpp"
#include "tests/support/hostile_texts.hpp"

namespace vigil::harness::testing {
namespace {

struct Cost {
    std::size_t bytes = 0;  ///< of the text
    std::size_t peak = 0;   ///< beside the text
    std::size_t made = 0;
    std::string refused = {};  ///< over its budget, and why
};

Cost cost_of(const std::string& text, const std::function<void(const std::string&)>& read) {
    Cost cost{text.size()};
    const auto before = test::heap_use().held;
    test::watch_heap();
    try {
        read(text);
    } catch (const text::BudgetError& error) {
        cost.refused = error.what();
    } catch (const Error&) {  // no harness's file
    }
    const auto use = test::heap_use();
    cost.peak = use.peak - before;
    cost.made = use.made;
    return cost;
}

void read_file(const std::string& text) {
    read_reports(text, "n", {.takes_nothing = true});
}

void read_printed(const std::string& text) {
    recognize({"", text, ""});
    read_output(text);
}

bool is_in_budget(const Cost& cost) {
    return cost.peak <= text::ReadBudget::times_text * cost.bytes + text::ReadBudget::free_bytes;
}

/// Twice as much, and what does not grow.
bool is_linear(const Cost& once, const Cost& twice) {
    constexpr double slack = 1.3;  // vectors double
    constexpr double fixed_bytes = 200'000;
    return static_cast<double>(twice.made) <=
           2 * slack * static_cast<double>(once.made) + fixed_bytes;
}

void check_kinds(const std::vector<test::HostileText>& kinds, const auto& read) {
    constexpr std::size_t usual = 60'000;
    for (const auto& [name, make] : kinds) {
        const auto once = cost_of(make(usual), read);
        const auto twice = cost_of(make(2 * usual), read);
        CAPTURE(name, once.bytes, twice.bytes, once.peak, twice.peak, once.made, twice.made);
        CAPTURE(once.refused, twice.refused);
        CHECK(is_in_budget(once));
        CHECK(is_in_budget(twice));
        CHECK((is_linear(once, twice) || !twice.refused.empty()));
    }
}

TEST_CASE("Files of every format are read in memory and steps that their size bounds", "[budget]") {
    check_kinds(test::hostile_files(), read_file);
}

TEST_CASE("Tables for people are read in memory and steps that their size bounds", "[budget]") {
    check_kinds(test::hostile_tables(), read_printed);
}

TEST_CASE("asv: combinations of a small file are not made beyond its budget", "[budget]") {
    // .41 MB once became 2.7 GB.
    const auto wide = cost_of(test::asv_of_wide_names(100'000), read_file);
    CHECK(is_in_budget(wide));
    CHECK_THAT(wide.refused, Catch::Contains("reading n: ") && Catch::Contains(" steps"));
    const auto many = cost_of(test::asv_of_nothing_that_ran(200'000), read_file);
    CHECK(is_in_budget(many));
    CHECK_THAT(many.refused, Catch::Contains(" bytes of memory"));
}

TEST_CASE("CSV: rows that are nights are bounded in number and in memory", "[budget]") {
    // 9.9 MB of them once took 984 MB.
    const auto nights = cost_of(test::csv_of_nights(1'000'000), read_file);
    CHECK(nights.refused.empty());
    CHECK(nights.peak < 64 * nights.bytes);
    const auto few = cost_of(test::csv_of_nights(100'000), [](const std::string& text) {
        read_reports(text, "n", {.most_reports = 10});
    });
    CHECK_THAT(few.refused, Catch::Contains("more than 10 nights"));
}

TEST_CASE("Catch2: elements in each other are refused with the number", "[budget]") {
    // Time once went by the square of the depth.
    const auto deep = cost_of(test::catch2_of_depth(100'000), read_file);
    CHECK_THAT(deep.refused, Catch::Contains("more than 100 levels"));
    CHECK(deep.made < 4 * deep.bytes);
    CHECK_THROWS_WITH(
        read_reports("<!DOCTYPE a [<!ENTITY b \"c\">]>\n<Catch></Catch>", "n"),
        Catch::Contains("DOCTYPE"));
}

TEST_CASE("JSON that nests deeply is refused with the number", "[budget]") {
    const std::string deep(200, '[');
    const auto cost = cost_of(R"({"benchmarks":)" + deep, read_file);
    CHECK_THAT(cost.refused, Catch::Contains("more than 100 levels"));
}

TEST_CASE("A long key is not copied for each of its members", "[budget]") {
    const auto once = cost_of(test::bmf_of_long_key(100'000), read_file);
    CHECK(once.refused.empty());
    CHECK(once.peak < 100 * once.bytes);  // of 4 members for a byte of the key
}

TEST_CASE("A budget tells what it is and gives back what was lent", "[budget]") {
    text::ReadBudget budget(1000);
    {
        text::BudgetLoan loan(budget);
        budget.make(500);
        loan.end();
        budget.make(70);
    }
    CHECK(budget.held() == 70);
    CHECK(budget.peak() == 570);
    CHECK_THROWS_WITH(
        budget.make(std::size_t{1} << 30), Catch::Contains("more than 67116864 bytes of memory"));
    CHECK_THROWS_WITH(
        budget.step(std::size_t{1} << 30), Catch::Contains("more than 40040000 steps"));
    CHECK_THROWS_AS(text::ReadBudget::check_level(101), text::BudgetError);
    std::vector<int> numbers;
    text::ReadBudget other(0);
    for (int i = 0; i < 1000; ++i) {
        text::make_room(numbers, other);
        numbers.push_back(i);
    }
    CHECK(other.held() == numbers.capacity() * sizeof(int));
}

}  // namespace
}  // namespace vigil::harness::testing
