#include "tests/bench/bisect/families.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tests/bench/bisect/dice.hpp"

namespace vigil::bench {

namespace {

using Shape = Noise::Shape;

// Keys of the dice that furnish a world; its own draws use small numbers.
constexpr std::uint64_t for_places = 101;
constexpr std::uint64_t for_builds = 102;
constexpr std::uint64_t for_weights = 103;

/// Changes by these percentages, in this order, at different places.
void change(World& world, std::vector<double> percents) {
    Dice dice(world.seed, {for_places});
    std::set<int> places;
    while (places.size() < percents.size()) places.insert(dice.integer(1, world.suspects));
    SeriesTruth& truth = world.series.front();
    std::size_t i = 0;
    for (const int place : places) {
        truth.changes.push_back({place, std::log1p(percents[i++] / 100)});
    }
}

void one(World& world, double percent, Noise noise = {}) {
    world.series = {SeriesTruth{.noise = noise}};
    change(world, {percent});
}

int culprit(const World& world) {
    return world.series.front().changes.front().commit;
}

void break_some(World& world, double share) {
    Dice dice(world.seed, {for_builds});
    for (int c = 1; c < world.suspects; ++c) {
        if (dice.chance(share)) world.broken.insert(c);
    }
}

/// Breaks a stretch of commits, anywhere or around the culprit.
void break_stretch(World& world, int length, bool at_culprit) {
    Dice dice(world.seed, {for_builds});
    const int first = at_culprit ? std::max(1, culprit(world) - dice.integer(0, length - 1))
                                 : dice.integer(1, world.suspects - length);
    for (int c = first; c < std::min(first + length, world.suspects); ++c) world.broken.insert(c);
}

/// Weights of commits, and a culprit that they point at, or one of the less suspected half.
void hint(World& world, bool good) {
    Dice dice(world.seed, {for_weights});
    double sum = 0;
    for (int c = 1; c <= world.suspects; ++c) {
        world.weights.push_back(std::exp(1.2 * dice.normal()));
        sum += world.weights.back();
    }
    auto sorted = world.weights;
    std::sort(sorted.begin(), sorted.end());
    const double middle = sorted[sorted.size() / 2];
    int chosen = 0;
    while (chosen == 0) {
        const int c = dice.integer(1, world.suspects);
        const double weight = world.weights[static_cast<std::size_t>(c) - 1];
        if (good ? dice.chance(weight / sorted.back()) : weight <= middle) chosen = c;
    }
    world.series.front().changes.front().commit = chosen;
}

void add_sizes(std::vector<Family>& all) {
    for (const int suspects : {1, 2, 8, 70, 300, 1000}) {
        all.push_back(
            {fmt::format("size {}", suspects),
             fmt::format("+10 % at 2 % noise among {} suspects", suspects),
             [=](World& w) {
                 w.suspects = suspects;
                 one(w, 10);
             }});
    }
}

void add_signals(std::vector<Family>& all) {
    for (const double percent : {7.0, 12.0, 40.0}) {
        for (const double spread : {0.4, 1.5, 4.0, 8.0}) {
            all.push_back(
                {fmt::format("+{} % at {} %", percent, spread),
                 "one culprit among 70",
                 [=](World& w) { one(w, percent, {.spread = spread / 100}); }});
        }
    }
}

void add_shapes(std::vector<Family>& all) {
    const auto shaped = [&](std::string name, std::string about, Noise noise) {
        all.push_back({std::move(name), std::move(about), [=](World& w) { one(w, 10, noise); }});
    };
    shaped("heavy tails", "Student's t, 3 degrees, 2 %", {Shape::student, 0.02, 0, 0});
    shaped("heavier", "Student's t, 3 degrees, 5 %", {Shape::student, 0.05, 0, 0});
    shaped("outliers", "1 of 20 runs slower by about 30 %", {Shape::outliers, 0.02, 0.05, 0.3});
    shaped("two modes", "30 % of the runs slower by 8 %", {Shape::two_modes, 0.01, 0.3, 0.08});
    shaped("even modes", "half of the runs slower by 10 %", {Shape::two_modes, 0.01, 0.5, 0.1});
    for (const double jitter : {0.01, 0.02}) {
        all.push_back(
            {fmt::format("layout {} %", 100 * jitter),
             "builds differ by so much for no reason, noise 1 %",
             [=](World& w) {
                 one(w, 10, {.spread = 0.01});
                 w.series.front().jitter = jitter;
             }});
    }
    for (const double jitter : {0.0, 0.003}) {
        all.push_back(
            {jitter > 0 ? "memory, layout" : "memory",
             jitter > 0 ? "0.05 % noise, 0.3 % between builds" : "no noise at all",
             [=](World& w) {
                 one(w, 10, {.spread = jitter > 0 ? 0.0005 : 0});
                 w.series.front().kind = MetricKind::memory;
                 w.series.front().jitter = jitter;
                 w.series.front().quantum = 2;
             }});
    }
    all.push_back({"throughput", "higher is better, 2 % noise", [](World& w) {
                       one(w, 10);
                       w.series.front().direction = Direction::higher_is_better;
                   }});
}

void add_drifts(std::vector<Family>& all) {
    const auto drifting = [&](std::string name, std::string about, Drift drift, int workers) {
        all.push_back({std::move(name), std::move(about), [=](World& w) {
                           one(w, 10);
                           w.drift = drift;
                           w.workers = workers;
                           w.machine_spread = workers > 1 ? 0.03 : 0;
                       }});
    };
    drifting("drift, slope", "8 % in 150 runs", {Drift::Kind::slope, 0.08, 150}, 1);
    drifting("drift, wander", "3 %, over about 40 runs", {Drift::Kind::wander, 0.03, 40}, 1);
    drifting("drift, jump", "6 %, once", {Drift::Kind::jump, 0.06, 100}, 1);
    drifting("machines", "4 workers, 3 % apart", {}, 4);
    drifting("machines, wander", "and they drift", {Drift::Kind::wander, 0.02, 40}, 4);
}

void add_builds(std::vector<Family>& all) {
    const auto building = [&](std::string name, std::string about, auto damage) {
        all.push_back({std::move(name), std::move(about), [=](World& w) {
                           one(w, 10);
                           damage(w);
                       }});
    };
    building("broken 5 %", "commits here and there", [](World& w) { break_some(w, 0.05); });
    building("broken 20 %", "commits here and there", [](World& w) { break_some(w, 0.2); });
    building("broken block", "15 in a row", [](World& w) { break_stretch(w, 15, false); });
    building(
        "culprit broken", "15 in a row around it", [](World& w) { break_stretch(w, 15, true); });
    building("flaky", "1 of 10 builds and runs fails for no reason", [](World& w) {
        w.flaky = 0.1;
        w.lost = 0.1;
    });
    building("equal products", "two of three commits change nothing that is built", [](World& w) {
        Dice dice(w.seed, {for_builds});
        for (int c = 1; c <= w.suspects; ++c) {
            if (c != culprit(w) && dice.chance(2.0 / 3)) w.neutral.insert(c);
        }
    });
    for (const double cost : {0.1, 1.0, 100.0}) {
        building(
            fmt::format("build costs {}", cost), "runs", [=](World& w) { w.build_cost = cost; });
    }
    building("kept builds", "every fifth is there, a build costs 30", [](World& w) {
        for (int c = 5; c < w.suspects; c += 5) w.built.insert(c);
        w.build_cost = 30;
    });
    for (const int workers : {2, 4, 8}) {
        building(
            fmt::format("{} workers", workers), "at once", [=](World& w) { w.workers = workers; });
    }
    building("good hint", "weights that point at the culprit", [](World& w) { hint(w, true); });
    building("bad hint", "weights that point elsewhere", [](World& w) { hint(w, false); });
}

/// A machine that others use: runs at once see the same of it, later ones something else.
void add_moments(std::vector<Family>& all) {
    for (const double percent : {10.0, 15.0, 30.0}) {
        for (const double swing : {0.15, 0.4}) {
            all.push_back(
                {fmt::format("{:+g} %, swings {:g} %", percent, 100 * swing),
                 "2.5 % noise, six runs at once",
                 [=](World& w) {
                     one(w, percent, {.spread = 0.025});
                     w.at_once = 6;
                     w.swing = swing;
                     w.build_cost = 2;
                 }});
        }
    }
}

/// Wall time on a machine that others use: a run has a processor for 28 to 60 % of its time.
void add_crowds(std::vector<Family>& all) {
    const auto disturbed = [&](const char* name, const char* about, double time, bool regimes) {
        for (const double percent : {0.0, 10.0, 30.0}) {
            all.push_back({fmt::format("busy {}, {:+g} %", name, percent), about, [=](World& w) {
                               w.series = {SeriesTruth{}};
                               if (percent > 0) change(w, {percent});
                               w.interference = {0.28, 0.6, time, regimes};
                               w.build_cost = 2;
                           }});
        }
    };
    disturbed("runs", "2 % noise, a processor for 28 to 60 % of each run", 0, false);
    disturbed("runs, some", "the same, alike over about a run", 1, false);
    disturbed("spells", "the same, alike over about 4 runs", 4, false);
    disturbed("hours", "the same, alike over about 30 runs", 30, false);
    disturbed("or not", "a processor for 28 or 60 %, over about 4 runs", 4, true);
}

void add_counts(std::vector<Family>& all) {
    const auto counting =
        [&](std::string name, std::string about, std::vector<double> percents, double spread) {
            all.push_back({std::move(name), std::move(about), [=](World& w) {
                               w.series = {SeriesTruth{.noise = {.spread = spread}}};
                               change(w, percents);
                           }});
        };
    counting("none", "2 % noise", {}, 0.02);
    counting("none, noisy", "5 % noise", {}, 0.05);
    all.push_back({"none, wander", "drift alone", [](World& w) {
                       w.series = {SeriesTruth{}};
                       w.drift = {Drift::Kind::wander, 0.03, 40};
                   }});
    counting("two alike", "+8 %, then +8 %", {8, 8}, 0.02);
    counting("large and small", "+25 %, then +8 %", {25, 8}, 0.02);
    counting("recovery", "+20 %, then -8 %", {20, -8}, 0.02);
    counting("three", "+15 %, -7 %, +12 %", {15, -7, 12}, 0.02);
}

}  // namespace

World Family::day(std::uint64_t seed) const {
    World world;
    world.family = name;
    // Families do not share their dice.
    std::uint64_t key = seed;
    for (const char c : name) key = key * 131 + static_cast<unsigned char>(c);
    world.seed = key;
    furnish(world);
    return world;
}

std::vector<Family> several_families() {
    std::vector<Family> all;
    const std::vector<std::vector<double>> nights{
        {10}, {10, 10}, {15, 15}, {15, 7.5}, {7.5, 15}, {15, 5}, {10, 10, 10}, {20, -10}};
    for (const auto& percents : nights) {
        std::string name;
        for (const double percent : percents) name += fmt::format("{:+g} % ", percent);
        for (const double spread : {0.01, 0.03, 0.05}) {
            all.push_back({name + fmt::format("at {:g} %", 100 * spread), "", [=](World& w) {
                               w.suspects = 27;
                               w.series = {SeriesTruth{.noise = {.spread = spread}}};
                               change(w, percents);
                           }});
        }
    }
    return all;
}

std::vector<Family> deceived_families() {
    std::vector<Family> all;
    for (const double spread : {0.01, 0.03}) {
        const auto add = [&](const std::string& name, double percent, Deceit deceit) {
            all.push_back({fmt::format("{}, {:g} % noise", name, 100 * spread), "", [=](World& w) {
                               w.series = {SeriesTruth{.noise = {.spread = spread}}};
                               if (percent > 0) change(w, {percent});
                               w.deceit = deceit;
                           }});
        };
        add("+10 %", 10, {});
        add("+10 %, 1 of 10 builds 5 % slower", 10, {.share = 0.1, .size = std::log(1.05)});
        add("+10 %, 1 of 10 builds 10 % slower", 10, {.share = 0.1, .size = std::log(1.1)});
        add("none, +10 % from a commit on", 0, {.size = std::log(1.1), .step = true});
    }
    return all;
}

Family plain_family(double spread) {
    return {fmt::format("+7 % at {} %", 100 * spread), "one culprit among 70", [=](World& w) {
                one(w, 7, {.spread = spread});
            }};
}

std::vector<Family> single_families() {
    std::vector<Family> all;
    add_sizes(all);
    add_signals(all);
    add_shapes(all);
    add_drifts(all);
    add_builds(all);
    add_counts(all);
    add_moments(all);
    add_crowds(all);
    return all;
}

}  // namespace vigil::bench
