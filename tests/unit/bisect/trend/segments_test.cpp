#include "bisect/trend/segments.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

using vigil::trend::find_levels;

namespace {

using Starts = std::vector<std::size_t>;

std::vector<double> levels(const std::vector<double>& means, std::size_t each, double noise) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, noise);
    std::vector<double> values;
    for (const double mean : means) {
        for (std::size_t i = 0; i < each; ++i) values.push_back(mean * (1 + normal(random)));
    }
    return values;
}

}  // namespace

TEST_CASE("The levels of a whole series are found where they begin", "[bisect][trend]") {
    CHECK(find_levels(levels({100, 120, 90}, 40, 0.02)) == Starts{40, 80});
    CHECK(find_levels(levels({-100, -120}, 40, 0.02)) == Starts{40});
    CHECK(find_levels(levels({100}, 300, 0.05)).empty());
}

TEST_CASE("Positions count the nights without a value", "[bisect][trend]") {
    auto values = levels({100, 120}, 40, 0.02);
    values.insert(values.begin() + 10, 5, std::nan(""));
    values[20] = std::numeric_limits<double>::infinity();
    CHECK(find_levels(values) == Starts{45});
}

TEST_CASE("Series without a level to compare have none", "[bisect][trend]") {
    CHECK(find_levels({}).empty());
    CHECK(find_levels(std::vector<double>{1.0}).empty());
    CHECK(find_levels(std::vector<double>(100, 7.0)).empty());
    CHECK(find_levels(std::vector<double>(100, 0.0)).empty());
    CHECK(find_levels(std::vector<double>(100, std::nan(""))).empty());
}

TEST_CASE("A spike is no level", "[bisect][trend]") {
    auto values = levels({100}, 100, 0.01);
    values[50] = 1000;
    CHECK(find_levels(values).empty());
}

TEST_CASE("A burst is no level while it is shorter than the shortest level", "[bisect][trend]") {
    for (std::size_t nights = 1; nights <= 5; ++nights) {
        auto values = levels({100}, 100, 0.01);
        for (std::size_t i = 50; i < 50 + nights; ++i) values[i] *= 1.3;
        CHECK(find_levels(values) == (nights < 5 ? Starts{} : Starts{50, 55}));
    }
}

TEST_CASE("A step that is small beside the others is told where it is sure", "[bisect][trend]") {
    CHECK(find_levels(levels({100, 150, 153}, 40, 0.003)) == Starts{40, 80});
}

TEST_CASE("Of values that walk only steps to be seen are told", "[bisect][trend]") {
    for (const unsigned seed : {1U, 3U, 6U, 8U, 9U, 10U}) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal(0, 0.01);
        std::vector<double> values;
        double walk = 0;
        for (std::size_t i = 0; i < 200; ++i) {
            walk += normal(random);
            values.push_back(std::exp(walk + (i >= 100 ? 0.7 : 0)));
        }
        CAPTURE(seed);
        CHECK(find_levels(values) == Starts{100});
    }
}

TEST_CASE("An exact step is found to the night", "[bisect][trend]") {
    std::vector<double> values(60, 1000.0);
    for (std::size_t i = 33; i < 60; ++i) values[i] = 1080;
    CHECK(find_levels(values) == Starts{33});
}

TEST_CASE("Long series lose no step to the thinning of starts", "[bisect][trend]") {
    std::vector<double> means;
    Starts expected;
    for (std::size_t i = 0; i < 20; ++i) {
        means.push_back(i % 2 == 0 ? 100 : 110);
        if (i > 0) expected.push_back(i * 1000);
    }
    const auto found = find_levels(levels(means, 1000, 0.02));
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto away = found[i] > expected[i] ? found[i] - expected[i] : expected[i] - found[i];
        CHECK(away <= 2);
    }
}
