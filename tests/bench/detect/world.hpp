#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "schema/model/metric.hpp"

namespace vigil::bench {

/// How single runs of a simulated series scatter.
enum class RunShape { gauss, lognormal, t3, spikes, two_modes };

/// What a simulated memory value is rounded to; none: a time.
enum class Grain { none, byte, two_mib };

/// One kind of noise. All scales are of ln(value).
struct NoiseKind {
    std::string_view name;
    double night = 0;  ///< shared by everything that runs in one night, sessions included
    double run = 0;    ///< of one process
    RunShape shape = RunShape::gauss;
    double memory = 0;  ///< correlation of neighbouring nights
    double layout = 0;  ///< Gaussian offset of a build, the same in each of its runs
    double mode = 0;    ///< three builds of ten are slower by this
    Grain grain = Grain::none;
};

/// The kinds of docs/confirmation.md section 5, in its order.
std::span<const NoiseKind> noise_kinds();

/// Random numbers from a seed that costs nothing to set (SplitMix64).
class Random {
  public:
    using result_type = std::uint64_t;

    explicit Random(std::uint64_t seed) : state_(seed) {}

    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return ~result_type{0}; }
    result_type operator()();

    double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
    double gauss();

  private:
    std::uint64_t state_;
    double spare_ = 0;
    bool has_spare_ = false;
};

/// What one process adds to ln(value).
double scatter(const NoiseKind& noise, Random& random);

/// What a build adds, whatever its source does.
double build_offset(const NoiseKind& noise, Random& random);

/// What each of so many nights adds for everything that runs in it.
std::vector<double> night_offsets(const NoiseKind& noise, int nights, Random& random);

/// What a world plays: how much worse the source code gets, from which night on.
struct Change {
    double ratio = 0;      ///< worse / better - 1; 0: a clean series
    double machine = 0;    ///< the same for what all builds feel from that night on
    double disturbed = 0;  ///< the same for what that night's own runs feel, its sessions not
    int night = 0;         ///< the first with it
};

/// One series of nightly builds with known truth. Nights and their builds have the numbers
/// -history, ..., nights - 1.
class World {
  public:
    static constexpr int history = 28;
    static constexpr int runs_a_night = 3;
    static constexpr int runs_a_session = 200;  ///< at most

    World(const NoiseKind& noise, const Change& change, int nights, std::uint64_t seed);

    Direction direction() const { return direction_; }
    MetricKind kind() const {
        return noise_.grain == Grain::none ? MetricKind::time : MetricKind::memory;
    }
    int nights() const { return nights_; }

    /// The values of a night's own runs.
    const std::vector<double>& night(int t) const { return values_[place(t)]; }

    /// A fresh process of `build` in a session of night `t`. What it feels depends on the night and
    /// its place in it alone: a policy is not luckier for what it asked before.
    double run(int t, int position, int build);

    /// What the source changed between two builds, ln of the ratio.
    double truth(int old_build, int new_build) const {
        return code_[place(new_build)] - code_[place(old_build)];
    }

  private:
    static std::size_t place(int t) { return static_cast<std::size_t>(t + history); }
    double value(double z, Random& random) const;

    NoiseKind noise_;
    int nights_;
    std::uint64_t seed_;
    Direction direction_ = Direction::lower_is_better;
    double base_ = 0;
    std::vector<double> code_;    ///< [night] what the source does
    std::vector<double> offset_;  ///< [night] what a build does without its source
    std::vector<double> shared_;  ///< [night] what everything that runs feels
    std::vector<std::vector<double>> values_;
    int session_night_ = -history - 1;
    std::vector<double> session_;  ///< [position] what a session's runs feel
    std::uint64_t session_seed_ = 0;
};

}  // namespace vigil::bench
