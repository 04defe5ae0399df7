#include <catch2/catch.hpp>

#include "tests/bench/bisect/sensitivity.hpp"

using namespace vigil;
using namespace vigil::bench;

TEST_CASE("Every rule of the search can be varied, and set back", "[bench][bisect]") {
    search::SearchRules rules;
    for (const auto& rule : search_rules()) {
        CAPTURE(rule.name);
        const auto value = rule.get(rules);
        for (const double factor : {0.5, 2.0}) {
            rule.set(rules, varied(value, factor));
            CHECK((rule.get(rules) != value));
        }
        rule.set(rules, value);
        CHECK(rule.get(rules) == value);
    }
}

TEST_CASE("The search is tuned by few numbers", "[bench][bisect]") {
    std::size_t numbers = 0;
    for (const auto& rule : search_rules()) numbers += rule.get({}).size();
    CHECK(numbers > 0);
    CHECK(numbers <= 45);
}

TEST_CASE("Half and double of a rule keep what it is", "[bench][bisect]") {
    CHECK(varied({6.0}, 0.5) == std::vector{3.0});
    CHECK(varied({0.98}, 2).front() == Approx(0.96));
    const auto even = varied({0.2, 0.8}, 0.5);
    CHECK(even[1] / even[0] == Approx(2));
    CHECK(even[0] + even[1] == Approx(1));
}

TEST_CASE("A rule is set by its name", "[bench][bisect]") {
    search::SearchRules rules;
    CHECK(set_rules(search_rules(), "sure=0.9,patience=3", rules));
    CHECK(rules.sure == 0.9);
    CHECK(rules.patience == 3);
    CHECK_FALSE(set_rules(search_rules(), "unsure=0.9", rules));
}
