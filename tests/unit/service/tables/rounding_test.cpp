#include "service/tables/rounding.hpp"

#include <limits>

#include <catch2/catch.hpp>

using namespace vigil::tables;

TEST_CASE("Numbers are rounded half up by the decimals a person sees", "[service][tables]") {
    CHECK(rounded(1.005, 2) == "1.01");  // the double lies below
    CHECK(rounded(1.045, 2) == "1.05");
    CHECK(rounded(2.675, 2) == "2.68");
    CHECK(rounded(0.125, 2) == "0.13");  // ties would go to even elsewhere
    CHECK(rounded(0.135, 2) == "0.14");
    CHECK(rounded(1.0449999, 2) == "1.04");
    CHECK(rounded(9.995, 2) == "10.00");
    CHECK(rounded(0.5, 0) == "1");
    CHECK(rounded(99.5, 0) == "100");
    CHECK(rounded(7, 2) == "7.00");
    CHECK(rounded(0, 0) == "0");
}

TEST_CASE("Small, large, negative and missing numbers are rounded too", "[service][tables]") {
    CHECK(rounded(-1.005, 2) == "-1.01");
    CHECK(rounded(-0.001, 2) == "0.00");
    CHECK(rounded(1e-300, 3) == "0.000");
    CHECK(rounded(1e22, 1) == "10000000000000000000000.0");
    CHECK(rounded(std::numeric_limits<double>::max(), 0).size() == 309);
    CHECK(rounded(std::numeric_limits<double>::quiet_NaN(), 2) == "-");
    CHECK(rounded(std::numeric_limits<double>::infinity(), 2) == "-");
}

TEST_CASE("A rate is its two counts and their percentage, halves up", "[service][tables]") {
    CHECK(rate_words(49, 54) == "91%, 49/54");
    CHECK(rate_words(44, 44) == "100%, 44/44");
    CHECK(rate_words(1, 8) == "13%, 1/8");   // 12.5
    CHECK(rate_words(1, 40) == "3%, 1/40");  // 2.5
    CHECK(rate_words(0, 3) == "0%, 0/3");
    CHECK(rate_words(0, 0) == "-");
}
