#include "tests/bench/detect/world.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace vigil::bench {

namespace {

constexpr double half = 0.70710678118654752;  // half of the variance
constexpr double session_walk = 0.1;          // of the run scale, each step
constexpr double bytes_of_exact = 1e7;
constexpr double page = 2.0 * 1024 * 1024;

constexpr std::array kinds{
    NoiseKind{"gauss-1", .01 * half, .01 * half},
    NoiseKind{"gauss-3", .03 * half, .03 * half},
    NoiseKind{"night-3", .03, .015},
    NoiseKind{"lognormal-5", .05 * half, .05 * half, RunShape::lognormal},
    NoiseKind{"t3", .01, .015, RunShape::t3},
    NoiseKind{"spikes", .01 * half, .01 * half, RunShape::spikes},
    NoiseKind{"two-modes", .01 * half, .01 * half, RunShape::two_modes},
    NoiseKind{"layout-1", .01 * half, .01 * half, RunShape::gauss, 0, .01},
    NoiseKind{"ar-3", .03, .015, RunShape::gauss, .8},
    NoiseKind{"memory", 0, 0, RunShape::gauss, 0, 0, 0, Grain::byte},
    NoiseKind{"memory-steps", 0, 0, RunShape::gauss, 0, 0, 0, Grain::two_mib},
    NoiseKind{"build-modes", .01 * half, .01 * half, RunShape::gauss, 0, 0, .06},
    NoiseKind{"gauss-10", .07, .07}};

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// Gaussian over the root of a chi square of three: t with three degrees of freedom.
double student_3(Random& random) {
    double squares = 0;
    for (int i = 0; i < 3; ++i) {
        const double g = random.gauss();
        squares += g * g;
    }
    return random.gauss() / std::sqrt(squares / 3);
}

}  // namespace

std::span<const NoiseKind> noise_kinds() {
    return kinds;
}

Random::result_type Random::operator()() {
    return mixed(state_ += 0x9e3779b97f4a7c15ULL);
}

double Random::gauss() {
    if (has_spare_) {
        has_spare_ = false;
        return spare_;
    }
    const double radius = std::sqrt(-2 * std::log1p(-uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    has_spare_ = true;
    spare_ = radius * std::sin(angle);
    return radius * std::cos(angle);
}

double scatter(const NoiseKind& noise, Random& random) {
    const double run = noise.run;
    switch (noise.shape) {
        case RunShape::gauss: return run * random.gauss();
        case RunShape::lognormal: {
            // Shifted to mean 0 and scaled to deviation `run`; skewness 2.3.
            constexpr double shape = 0.6;
            const double mean = std::exp(shape * shape / 2);
            const double deviation = mean * std::sqrt(std::expm1(shape * shape));
            return std::log1p(run * (std::exp(shape * random.gauss()) - mean) / deviation);
        }
        case RunShape::t3: return std::log1p(std::clamp(run * student_3(random), -.6, 3.0));
        case RunShape::spikes: {
            const double spike = random.uniform() < .02 ? std::log(1.2 + .8 * random.uniform()) : 0;
            return run * random.gauss() + spike;
        }
        case RunShape::two_modes:
            return run * random.gauss() + (random.uniform() < .3 ? std::log(1.06) : 0);
    }
    return 0;
}

double build_offset(const NoiseKind& noise, Random& random) {
    const bool slow = random.uniform() < 0.3;
    return noise.layout * random.gauss() + (slow ? std::log1p(noise.mode) : 0);
}

std::vector<double> night_offsets(const NoiseKind& noise, int nights, Random& random) {
    std::vector<double> offsets;
    double level = 0;
    for (int t = 0; t < nights; ++t) {
        const double fresh = random.gauss();
        const double kept = t == 0 ? 0 : noise.memory;
        level = kept * level + std::sqrt(1 - kept * kept) * fresh;
        offsets.push_back(noise.night * level);
    }
    return offsets;
}

World::World(const NoiseKind& noise, const Change& change, int nights, std::uint64_t seed)
    : noise_(noise), nights_(nights), seed_(seed) {
    Random random(seed);
    const bool is_time = noise.grain == Grain::none;
    if (is_time && random.uniform() < 0.25) direction_ = Direction::higher_is_better;
    const double size = random.uniform();
    base_ = is_time                      ? .05 * std::pow(1e5, size)
            : noise.grain == Grain::byte ? bytes_of_exact
                                         : 60 * std::pow(4000.0 / 60, size);  // MiB
    double shared = 0;
    for (int t = -history; t < nights; ++t) {
        const bool changed = t >= change.night;
        const double fresh = random.gauss();
        shared = t == -history
                     ? fresh
                     : noise.memory * shared + std::sqrt(1 - noise.memory * noise.memory) * fresh;
        shared_.push_back(noise.night * shared + (changed ? std::log1p(change.machine) : 0));
        code_.push_back(changed ? std::log1p(change.ratio) : 0);
        offset_.push_back(build_offset(noise, random));
        const double tonight = t == change.night ? std::log1p(change.disturbed) : 0;
        auto& values = values_.emplace_back();
        for (int r = 0; r < runs_a_night; ++r) {
            const double level = code_.back() + offset_.back() + shared_.back() + tonight;
            values.push_back(value(level + scatter(noise_, random), random));
        }
    }
}

double World::value(double z, Random& random) const {
    if (noise_.grain == Grain::byte) return std::round(base_ * std::exp(z));
    if (noise_.grain == Grain::two_mib) {
        return page * (std::ceil(base_ * std::exp(z) / 2) + (random.uniform() < .1 ? 1 : 0));
    }
    return base_ * std::exp(direction_ == Direction::lower_is_better ? z : -z);
}

double World::run(int t, int position, int build) {
    if (session_night_ != t) {
        session_night_ = t;
        session_seed_ = mixed(seed_ ^ mixed(static_cast<std::uint64_t>(t + history + 1)));
        Random random(session_seed_);
        session_.clear();
        double walk = 0;
        for (int i = 0; i < runs_a_session; ++i) {
            walk += session_walk * noise_.run * random.gauss();
            session_.push_back(walk + scatter(noise_, random));
        }
    }
    Random grain(mixed(session_seed_ + static_cast<std::uint64_t>(position) + 1));
    const double level = code_[place(build)] + offset_[place(build)] + shared_[place(t)];
    return value(level + session_[static_cast<std::size_t>(position)], grain);
}

}  // namespace vigil::bench
