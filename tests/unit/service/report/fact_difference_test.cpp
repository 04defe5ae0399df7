#include "service/report/facts/fact_difference.hpp"

#include <catch2/catch.hpp>

#include "service/report/render/render_regression.hpp"
#include "tests/unit/service/report/example_facts.hpp"

using namespace vigil::service;

namespace {

std::vector<FactDifference> differences(
    const std::vector<double>& before, const std::vector<double>& after) {
    std::vector<FactOfRun> runs;
    for (const double value : before) runs.push_back({"major_faults", true, value});
    for (const double value : after) runs.push_back({"major_faults", false, value});
    return clear_differences(runs);
}

}  // namespace

TEST_CASE("A fact that is clearly not the same on both sides is told", "[service][report]") {
    const auto found = differences({0, 0, 2}, {1240, 1200, 1300});
    CHECK(found == std::vector<FactDifference>{{"major_faults", 0, 1240}});
    CHECK(differences({40, 41, 42}, {10, 11, 12}).size() == 1);
}

TEST_CASE("A small difference of facts is not told", "[service][report]") {
    CHECK(differences({100, 100, 100}, {200, 200, 200}).empty());  // twice, and not above
    CHECK(differences({100, 100, 100}, {201, 201, 201}).size() == 1);
    CHECK(differences({0, 0, 0}, {9, 9, 9}).empty());
    CHECK(differences({0, 0, 0}, {10, 10, 10}).size() == 1);
    CHECK(differences({0, 0, 0}, {0, 0, 9000}).empty());  // one run is not the side
    CHECK(differences({0, 0}, {90, 90, 90}).empty());
    CHECK(clear_differences({}).empty());
}

TEST_CASE("Facts that differ stand beside the verdict", "[service][report]") {
    auto facts = example_facts();
    CHECK(render_regression(facts).body.find("Beside it") == std::string::npos);
    facts.beside = {
        {"mlp", "train", "xeon", {{"major_faults", 0, 1240}, {"minor_faults", 50, 700.4}}}};
    const auto body = render_regression(facts).body;
    CHECK(
        body.find("major faults 0 before, 1240 after; minor faults 50 before, 700 after\n") !=
        std::string::npos);
    CHECK(body.find("- Beside it, of `mlp` (`train`) on `xeon`: ") != std::string::npos);
    facts.series.resize(1);
    CHECK(render_regression(facts).body.find("- Beside it: major") != std::string::npos);
}
