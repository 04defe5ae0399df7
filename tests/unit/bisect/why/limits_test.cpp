#include "bisect/why/limits.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::why;
using profile::Function;
using profile::Profile;

namespace {

/// Half of it is the program's own; the rest is a library's.
Profile half_without_file() {
    Profile all;
    all.total = 1000;
    Function own;
    own.name = "sort";
    own.cost = 500;
    Function library;
    library.name = "memcpy";
    library.cost = 500;
    library.is_own = false;
    all.functions = {own, library};
    return all;
}

}  // namespace

TEST_CASE("A product without -g is said to lack files, with what helps", "[bisect][why]") {
    auto before = half_without_file();
    auto after = half_without_file();
    const std::vector<std::string> said{
        "50 % of the instructions are of functions without a file: build with -g to see files, and "
        "which of them the commit changes"};
    CHECK(limits_of(before, after) == said);
    before.functions[0].file = "sort.cpp";
    CHECK(limits_of(before, after) == said);
    after.functions[0].file = "sort.cpp";
    CHECK(limits_of(before, after).empty());
}

TEST_CASE("What no -g helps against is not said to lack files", "[bisect][why]") {
    auto stripped = half_without_file();
    stripped.unnamed = 500;
    REQUIRE(limits_of(stripped, stripped).size() == 1);
    CHECK(limits_of(stripped, stripped)[0].find("without a name") != std::string::npos);
    auto operators = half_without_file();
    operators.unit = profile::CostUnit::operator_ns;
    CHECK(limits_of(operators, operators).empty());
    auto interpreted = half_without_file();
    interpreted.interpreter = "python3.11";
    REQUIRE(limits_of(interpreted, interpreted).size() == 1);
    CHECK(limits_of(interpreted, interpreted)[0].find("runs it") != std::string::npos);
}
