#include "tests/bench/bisect/world.hpp"

#include <cmath>
#include <numbers>

#include "bisect/stats/distribution.hpp"
#include "tests/bench/bisect/dice.hpp"

namespace vigil::bench {

namespace {

// What a draw is for.
enum Purpose : std::uint64_t {
    for_noise,
    for_jitter,
    for_machine,
    for_drift,
    for_loss,
    for_flake,
    for_history,
    for_nights,
    for_moment,
    for_interference,
    for_deceit
};

constexpr double base_value = 8192;
constexpr double nights_scatter = 0.01;  // of the history's nights where there is drift

std::uint64_t word(int number) {
    return static_cast<std::uint64_t>(number);
}

}  // namespace

int World::product(int commit) const {
    while (neutral.contains(commit)) --commit;
    return commit;
}

double World::noise(int number, std::uint64_t what, int commit, int nth) const {
    Dice dice(seed, {what, word(number), word(commit), word(nth)});
    const Noise& law = truth(number).noise;
    switch (law.shape) {
        case Noise::Shape::gauss: return law.spread * dice.normal();
        case Noise::Shape::student: return law.spread * dice.student(3);
        case Noise::Shape::outliers: {
            const double z = law.spread * dice.normal();
            return dice.chance(law.share) ? z + law.size * dice.uniform(0.5, 1.5) : z;
        }
        case Noise::Shape::two_modes: {
            const double z = law.spread * dice.normal();
            return dice.chance(law.share) ? z + law.size : z;
        }
    }
    return 0;
}

/// Stationary, of variance 1, correlated over about `over`.
double World::wave_at(std::uint64_t what, double over, double time) const {
    constexpr int waves = 8;
    Dice dice(seed, {what});
    double sum = 0;
    for (int i = 0; i < waves; ++i) {
        const double period = 2 * std::numbers::pi * over * dice.log_uniform(0.4, 4);
        const double phase = dice.uniform(0, 2 * std::numbers::pi);
        sum += std::sin(2 * std::numbers::pi * time / period + phase);
    }
    return sum * std::sqrt(2.0 / waves);
}

double World::busy(int number, int commit, int nth, double time) const {
    if (interference.least >= interference.most) return interference.most;
    const double z =
        interference.time > 0
            ? wave_at(for_interference, interference.time, time)
            : Dice(seed, {for_interference, word(number), word(commit), word(nth)}).normal();
    double u = stats::normal_cdf(z);
    if (interference.regimes) u = u < 0.5 ? 0 : 1;
    return interference.least * std::pow(interference.most / interference.least, u);
}

double World::drift_at(double time) const {
    Dice dice(seed, {for_drift});
    switch (drift.kind) {
        case Drift::Kind::none: return 0;
        case Drift::Kind::slope: return drift.size * time / 150;
        case Drift::Kind::jump: {
            const double when = drift.time * dice.uniform();
            const double sign = dice.chance(0.5) ? 1 : -1;
            return time >= when ? sign * drift.size : 0;
        }
        case Drift::Kind::wander: return drift.size * wave_at(for_drift, drift.time, time);
    }
    return 0;
}

double World::deceit_of(int number, int commit, int worker) const {
    if (deceit.step) {
        const int from = Dice(seed, {for_deceit}).integer(1, suspects);
        return worker == 0 && commit >= from ? deceit.size : 0;
    }
    if (deceit.share <= 0) return 0;
    Dice dice(seed, {for_deceit, word(number), word(product(commit)), word(worker)});
    return dice.chance(deceit.share) ? deceit.size : 0;
}

double World::value(int number, int commit, int nth, double time, int worker) const {
    const SeriesTruth& t = truth(number);
    double z = noise(number, for_noise, commit, nth) + drift_at(time);
    for (const Change& change : t.changes) {
        if (commit >= change.commit) z += change.effect;
    }
    Dice build(seed, {for_jitter, word(number), word(product(commit))});
    z += t.jitter * build.normal();
    z += machine_spread * Dice(seed, {for_machine, word(worker)}).normal();
    z += deceit_of(number, commit, worker);
    const double sign = t.direction == Direction::lower_is_better ? 1 : -1;
    const double v = base_value * std::exp(sign * z);
    return t.quantum > 0 ? t.quantum * std::round(v / t.quantum) : v;
}

double World::moment(int order, int group) const {
    return swing > 0 ? swing * Dice(seed, {for_moment, word(order), word(group)}).normal() : 0;
}

bool World::loses(int number, int commit, int nth) const {
    return lost > 0 && Dice(seed, {for_loss, word(number), word(commit), word(nth)}).chance(lost);
}

bool World::flakes(int commit, int nth) const {
    return flaky > 0 && Dice(seed, {for_flake, word(commit), word(nth)}).chance(flaky);
}

double World::seen_ratio(int number) const {
    double net = 0;
    for (const Change& change : truth(number).changes) net += change.effect;
    for (int night = 0; night < 200; ++night) {
        const double seen =
            net + noise(number, for_nights, 1, night) - noise(number, for_nights, 0, night);
        if (std::expm1(seen) > threshold) return std::expm1(seen);
    }
    return 1.1 * threshold;
}

std::vector<double> World::history(int number) const {
    const SeriesTruth& t = truth(number);
    std::vector<double> values;
    const bool quiet = swing == 0 && interference.least == interference.most;
    for (int night = 0; quiet && night < 24; ++night) {
        Dice dice(seed, {for_history, word(number), word(night)});
        double z = noise(number, for_history, 0, night) + t.jitter * dice.normal();
        z += machine_spread * Dice(seed, {for_machine, word(night % workers)}).normal();
        if (drift.kind != Drift::Kind::none) z += nights_scatter * dice.normal();
        const double v = base_value * std::exp(z);
        values.push_back(t.quantum > 0 ? t.quantum * std::round(v / t.quantum) : v);
    }
    return values;
}

}  // namespace vigil::bench
