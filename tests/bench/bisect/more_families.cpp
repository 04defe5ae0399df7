#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tests/bench/bisect/dice.hpp"
#include "tests/bench/bisect/families.hpp"

namespace vigil::bench {

namespace {

constexpr std::uint64_t for_any = 111;
constexpr std::uint64_t for_many = 112;
constexpr std::uint64_t for_smooth = 113;

Noise any_noise(Dice& dice) {
    Noise noise;
    noise.spread = dice.log_uniform(0.003, 0.07);
    const int kind = dice.integer(0, 4);  // two of five are Gaussian
    if (kind == 2) {
        noise.shape = Noise::Shape::student;
        noise.spread *= 0.7;
    } else if (kind == 3) {
        noise.shape = Noise::Shape::outliers;
        noise.share = dice.uniform(0.01, 0.08);
        noise.size = dice.uniform(0.1, 0.5);
    } else if (kind == 4) {
        noise.shape = Noise::Shape::two_modes;
        noise.share = dice.uniform(0.1, 0.5);
        noise.size = dice.uniform(2, 8) * noise.spread;
    }
    return noise;
}

/// None (15 %), one (65 %), two (15 %) or three; later ones may take a half back.
std::vector<Change> any_changes(Dice& dice, int suspects) {
    const double u = dice.uniform();
    const int wanted = u < 0.15 ? 0 : u < 0.8 ? 1 : u < 0.95 ? 2 : 3;
    std::set<int> places;
    while (static_cast<int>(places.size()) < std::min(wanted, suspects)) {
        places.insert(dice.integer(1, suspects));
    }
    std::vector<Change> changes;
    double net = 0;
    for (const int place : places) {
        double ratio = dice.log_uniform(0.08, 0.6);
        if (!changes.empty() && dice.chance(0.35)) ratio *= -0.5;
        changes.push_back({place, std::log1p(ratio)});
        net += changes.back().effect;
    }
    if (net < std::log1p(threshold)) {
        for (Change& change : changes) change.effect = std::abs(change.effect);
    }
    return changes;
}

Drift any_drift(Dice& dice) {
    switch (dice.integer(0, 4)) {
        case 2: return {Drift::Kind::slope, dice.uniform(-0.08, 0.08), 150};
        case 3: return {Drift::Kind::wander, dice.uniform(0.005, 0.04), dice.log_uniform(15, 120)};
        case 4: return {Drift::Kind::jump, dice.uniform(0.02, 0.08), 120};
        default: return {};
    }
}

void break_any(Dice& dice, World& world) {
    const double u = dice.uniform();
    if (u < 0.2) {
        const double share = dice.uniform(0.02, 0.3);
        for (int c = 1; c < world.suspects; ++c) {
            if (dice.chance(share)) world.broken.insert(c);
        }
    } else if (u < 0.35 && world.suspects > 8) {
        const int length = dice.integer(2, std::max(2, world.suspects / 3));
        const int first = dice.integer(1, std::max(1, world.suspects - length));
        for (int c = first; c < std::min(first + length, world.suspects); ++c) {
            world.broken.insert(c);
        }
    }
}

void furnish_any(World& world) {
    Dice dice(world.seed, {for_any});
    world.suspects = static_cast<int>(std::lround(dice.log_uniform(2, 1200)));
    SeriesTruth truth;
    truth.noise = any_noise(dice);
    truth.changes = any_changes(dice, world.suspects);
    const int jitter = dice.integer(0, 3);
    truth.jitter = jitter < 2 ? 0 : jitter == 2 ? 0.003 : 0.008;
    world.series = {truth};
    constexpr int workers[]{1, 1, 2, 4, 8};
    world.workers = workers[dice.integer(0, 4)];
    world.drift = any_drift(dice);
    break_any(dice, world);
    if (dice.chance(0.3)) {
        for (int c = 1; c <= world.suspects; ++c) world.weights.push_back(std::exp(dice.normal()));
    }
    constexpr double apart[]{0, 0.01, 0.03};
    if (world.workers > 1) world.machine_spread = apart[dice.integer(0, 2)];
    world.flaky = dice.chance(0.5) ? 0.05 : 0;
    world.lost = dice.chance(0.5) ? 0.05 : 0;
    world.build_cost = dice.log_uniform(0.3, 100);
}

void furnish_smooth(World& world) {
    Dice dice(world.seed, {for_smooth});
    world.suspects = static_cast<int>(std::lround(dice.log_uniform(8, 300)));
    SeriesTruth truth;
    truth.noise.spread = dice.log_uniform(0.002, 0.08);
    if (dice.chance(0.5)) truth.noise.shape = Noise::Shape::student;
    truth.jitter = dice.chance(0.5) ? dice.uniform(0, 0.015) : 0;
    const int first = dice.integer(1, world.suspects);
    truth.changes = {{first, std::log1p(dice.log_uniform(0.07, 0.6))}};
    const int second = dice.integer(1, world.suspects);
    if (second > first && dice.chance(0.4)) {
        truth.changes.push_back({second, std::log1p(dice.log_uniform(0.04, 0.4))});
    }
    world.series = {truth};
}

struct Many {
    int series = 2;
    int culprits = 1;
    bool own_place = false;  ///< each culprit has series of its own; otherwise chosen at random
    double none = 0;         ///< share of the series without any change
    bool memory = false;     ///< every other one measures memory
    int groups = 1;
    int workers = 1;
};

void furnish_many(World& world, const Many& many) {
    Dice dice(world.seed, {for_many});
    world.workers = many.workers;
    std::vector<int> places;
    while (static_cast<int>(places.size()) < many.culprits) {
        const int place = dice.integer(1, world.suspects);
        if (std::find(places.begin(), places.end(), place) == places.end()) {
            places.push_back(place);
        }
    }
    for (int s = 0; s < many.series; ++s) {
        SeriesTruth truth;
        truth.group = s % many.groups;
        truth.noise.spread = dice.log_uniform(0.005, 0.03);
        if (many.memory && s % 2 == 1) {
            truth.kind = MetricKind::memory;
            truth.noise.spread = 0;
            truth.quantum = 2;
        }
        const int chosen = many.own_place || s < many.culprits ? s % many.culprits
                                                               : dice.integer(0, many.culprits - 1);
        const double effect = std::log1p(dice.log_uniform(0.08, 0.4));
        const bool unchanged = s >= many.culprits && dice.chance(many.none);
        if (!unchanged) truth.changes = {{places[static_cast<std::size_t>(chosen)], effect}};
        world.series.push_back(truth);
    }
}

}  // namespace

Family random_family() {
    return {"random", "everything at random", furnish_any};
}

Family smooth_family() {
    return {"smooth", "noise, effect and layout drawn continuously", furnish_smooth};
}

std::vector<Family> many_families() {
    std::vector<Family> all;
    const auto add = [&](std::string name, std::string about, Many many) {
        all.push_back(
            {std::move(name), std::move(about), [=](World& w) { furnish_many(w, many); }});
    };
    add("2 series", "one culprit", {.series = 2});
    add("10 series", "one culprit", {.series = 10});
    add("50 series", "one culprit", {.series = 50});
    add("10 series, noise", "one culprit; a third has no change", {.series = 10, .none = 0.33});
    add("10 series, 4 workers", "one culprit", {.series = 10, .workers = 4});
    add("2 apart", "a culprit each", {.series = 2, .culprits = 2, .own_place = true});
    add("time and memory", "a culprit each", {.series = 2, .culprits = 2, .memory = true});
    add("10 of two", "two culprits", {.series = 10, .culprits = 2});
    add("10 of two, classes", "on two machine classes", {.series = 10, .culprits = 2, .groups = 2});
    add("50 of three", "three culprits", {.series = 50, .culprits = 3});
    return all;
}

World one_series_of(const World& many) {
    World one = many;
    SeriesTruth truth = many.truth(0);
    truth.changes.clear();
    std::set<int> seen;
    for (const SeriesTruth& each : many.series) {
        for (const Change& change : each.changes) {
            if (seen.insert(change.commit).second) truth.changes.push_back(change);
        }
    }
    std::sort(truth.changes.begin(), truth.changes.end(), [](const auto& a, const auto& b) {
        return a.commit < b.commit;
    });
    one.series = {truth};
    return one;
}

}  // namespace vigil::bench
