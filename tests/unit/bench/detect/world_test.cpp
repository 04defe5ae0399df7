#include "tests/bench/detect/world.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "bisect/stats/summary.hpp"

using namespace vigil;
using namespace vigil::bench;

namespace {

const NoiseKind& kind_named(std::string_view name) {
    const auto kinds = noise_kinds();
    const auto found = std::find_if(
        kinds.begin(), kinds.end(), [&](const NoiseKind& kind) { return kind.name == name; });
    REQUIRE(found != kinds.end());
    return *found;
}

double badness_of(const World& world, double value) {
    const double z = std::log(value);
    return world.direction() == Direction::lower_is_better ? z : -z;
}

/// Median run of a build in one session, against that of another.
double difference(World& world, int night, int old_build, int new_build) {
    std::vector<double> apart;
    for (int i = 0; i + 1 < World::runs_a_session; i += 2) {
        const double old_run = badness_of(world, world.run(night, i, old_build));
        apart.push_back(badness_of(world, world.run(night, i + 1, new_build)) - old_run);
    }
    return stats::median(apart);
}

}  // namespace

TEST_CASE("A world's session shows what its source does", "[bench][detect]") {
    const Change change{.ratio = 0.10, .night = 5};
    for (const NoiseKind& kind : noise_kinds()) {
        CAPTURE(kind.name);
        World world(kind, change, 10, 7);
        CHECK(world.truth(4, 5) == Approx(std::log(1.10)));
        CHECK(world.truth(5, 9) == 0);
        CHECK(world.truth(-28, 4) == 0);
        const double slack = 0.3 * kind.run + 4 * kind.layout + 1.1 * kind.mode +
                             (kind.grain == Grain::two_mib ? 0.04 : 0) + 0.002;
        CHECK(std::abs(difference(world, 7, 3, 7) - std::log(1.10)) < slack);
        CHECK(std::abs(difference(world, 7, 6, 7)) < slack);
    }
}

TEST_CASE("A run of a session does not depend on what was asked before", "[bench][detect]") {
    for (const auto* name : {"lognormal-5", "memory-steps"}) {
        World one(kind_named(name), {}, 10, 3);
        World two(kind_named(name), {}, 10, 3);
        one.run(4, 0, -1);
        one.run(5, 7, 5);
        CHECK(one.run(4, 1, 4) == two.run(4, 1, 4));
        CHECK(one.night(9) == two.night(9));
        World other(kind_named(name), {}, 10, 4);
        CHECK(one.night(9) != other.night(9));
    }
}

TEST_CASE("A machine's move is felt by all builds, a disturbance by the night", "[bench][detect]") {
    const auto& kind = kind_named("gauss-1");
    const Change moved{.machine = 0.20, .night = 5};
    World machine(kind, moved, 10, 9);
    const double before = badness_of(machine, machine.night(4)[0]);
    CHECK(badness_of(machine, machine.night(5)[0]) - before > 0.1);
    CHECK(badness_of(machine, machine.run(5, 0, 4)) - before > 0.1);
    CHECK(machine.truth(4, 5) == 0);

    const Change once{.disturbed = 0.20, .night = 5};
    World night(kind, once, 10, 9);
    const double usual = badness_of(night, night.night(4)[0]);
    CHECK(badness_of(night, night.night(5)[0]) - usual > 0.1);
    CHECK(std::abs(badness_of(night, night.run(5, 0, 5)) - usual) < 0.1);
    CHECK(std::abs(badness_of(night, night.night(6)[0]) - usual) < 0.1);
}

TEST_CASE("Noise is as wide and as one-sided as its kind says", "[bench][detect]") {
    const auto& kind = kind_named("lognormal-5");
    std::vector<double> runs;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        World world(kind, {}, 2, seed);
        for (int i = 1; i < 20; ++i) runs.push_back(badness_of(world, world.run(1, i, 0)));
        const double middle = stats::median(std::span(runs).last(19));
        for (auto run = runs.end() - 19; run != runs.end(); ++run) *run -= middle;
    }
    double squares = 0, cubes = 0;
    for (const double run : runs) {
        squares += run * run;
        cubes += run * run * run;
    }
    const auto n = static_cast<double>(runs.size());
    const double deviation = std::sqrt(squares / n);
    CHECK(deviation == Approx(kind.run).epsilon(0.25));
    CHECK(cubes / n > std::pow(deviation, 3));
}
