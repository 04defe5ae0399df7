#include "bisect/detect/worth.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil::detect;

namespace {

const double tau = std::log(1.07);

}  // namespace

TEST_CASE("The chance grows with the move and falls with the noise", "[bisect][detect]") {
    double before = 0;
    for (const double moved : {0.01, 0.03, 0.06, 0.09, 0.15, 0.3}) {
        const double chance = chance_above(moved, 0.02, tau);
        CHECK(chance > before);
        before = chance;
    }
    CHECK(chance_above(0.1, 0.005, tau) > 0.9);
    CHECK(chance_above(0.1, 0.02, tau) < chance_above(0.1, 0.01, tau));
    CHECK(chance_above(0.1, 0.1, tau) < 0.01);
}

TEST_CASE("A quiet series' move below the threshold is no chance at all", "[bisect][detect]") {
    CHECK(chance_above(0.05, 6e-4, tau) < 1e-4);
    CHECK(chance_above(0.09, 6e-4, tau) > 0.999);
    CHECK(chance_above(0, 6e-4, tau) < 1e-6);
    CHECK(chance_above(-0.2, 0.01, tau) < 1e-3);
    CHECK(chance_above(1000, 6e-4, tau) <= 1);
}

TEST_CASE("The chance is the share of true changes among nights like this", "[bisect][detect]") {
    // The world that the chance assumes, changes a hundred times as common to see enough of them.
    std::mt19937 random(5);
    std::uniform_real_distribution<double> share(0, 1);
    std::normal_distribution<double> gauss(0, 1);
    std::student_t_distribution<double> noise(4);
    constexpr double spread = 0.02;
    double told = 0, held = 0, weights = 0;
    for (int night = 0; night < 200'000; ++night) {
        const bool changed = share(random) < 0.2;
        const double size = changed ? 0.08 * std::exp(0.8 * gauss(random)) : 0;
        const double moved = size + spread * noise(random);
        const double chance = chance_above(moved, spread, tau);
        if (chance < 0.2 || chance > 0.6) continue;
        const double weight = changed ? (1.0 / 500) / 0.2 : (499.0 / 500) / 0.8;
        told += weight * chance;
        held += weight * (size > tau ? 1 : 0);
        weights += weight;
    }
    CHECK(held / weights == Approx(told / weights).margin(0.04));
}

TEST_CASE(
    "Who waited goes up, what looked better goes down, equals keep their order",
    "[bisect][detect]") {
    const std::vector<Asking> asking{
        {0.3, 0, false}, {0.2, 1, false}, {0.2, 0, false}, {0.5, 0, true}, {0.2, 0, false}};
    CHECK(rank(asking) == std::vector<std::size_t>{1, 0, 3, 2, 4});
    CHECK(rank({}).empty());
}

TEST_CASE("A session that has begun holds its first three blocks", "[bisect][detect]") {
    RunBudget budget(30);
    CHECK(budget.begin());
    CHECK(budget.begin());
    CHECK_FALSE(budget.begin());
    // Within what it holds it always goes on; beyond, while something is left.
    CHECK(budget.may_go_on(8, 4));
    budget.go_on(8, 4);
    CHECK(budget.taken() == 24);
    CHECK(budget.may_go_on(12, 4));
    budget.go_on(12, 4);
    CHECK(budget.taken() == 28);
    CHECK_FALSE(budget.may_go_on(16, 4));
    CHECK(budget.may_go_on(4, 4));
}

TEST_CASE("What has ended gives back what it held and keeps what it took", "[bisect][detect]") {
    RunBudget budget(30);
    budget.count_ended(4);
    budget.count_open(4);
    CHECK(budget.taken() == 16);
    CHECK(budget.begin());
    CHECK_FALSE(budget.begin());
}

TEST_CASE("A budget below three blocks serves one session", "[bisect][detect]") {
    RunBudget budget(4);
    CHECK(budget.begin());
    CHECK_FALSE(budget.begin());
    CHECK_FALSE(budget.may_go_on(4, 4));
}
